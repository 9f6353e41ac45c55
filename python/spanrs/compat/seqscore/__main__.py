"""``python -m spanrs.compat.seqscore``: the command line of seqscore, with errors in one line."""

import sys

from spanrs.compat.seqscore.conll import CoNLLFormatError
from spanrs.compat.seqscore.encoding import EncodingError
from spanrs.compat.seqscore.scripts.seqscore import cli

if __name__ == "__main__":
    try:
        cli(prog_name="seqscore")
    except (CoNLLFormatError, EncodingError, ImportError, LookupError, OSError, ValueError) as error:
        sys.exit(f"seqscore: {error}")
