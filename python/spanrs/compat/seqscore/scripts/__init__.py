"""The command line of seqscore."""
