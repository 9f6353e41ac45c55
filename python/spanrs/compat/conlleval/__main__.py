"""``python -m spanrs.compat.conlleval [-b STR] [-d CHAR] [-o TAG] [FILE]``: the script conlleval.py of Pyysalo."""

import sys

from spanrs.compat.conlleval.rules import FormatError
from spanrs.compat.conlleval.spyysalo import main

if __name__ == "__main__":
    try:
        main(sys.argv)
    except (FormatError, OSError, UnicodeDecodeError) as error:
        sys.exit(f"conlleval: {error}")
