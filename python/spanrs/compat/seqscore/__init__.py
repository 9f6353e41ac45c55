"""The interface of seqscore 0.9.0, computed by spanrs.

The modules are :mod:`~spanrs.compat.seqscore.scoring`, :mod:`~spanrs.compat.seqscore.encoding`,
:mod:`~spanrs.compat.seqscore.validation`, :mod:`~spanrs.compat.seqscore.model`, and
:mod:`~spanrs.compat.seqscore.conll`, which only reads files. ``spanrs score`` replaces the command line of seqscore.
"""

__version__ = "0.9.0"
