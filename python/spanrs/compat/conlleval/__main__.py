"""``python -m spanrs.compat.conlleval [-b STR] [-d CHAR] [-o TAG] [FILE]``: the script conlleval.py of Pyysalo."""

import sys

from spanrs.compat.conlleval.rules import FormatError
from spanrs.compat.conlleval.spyysalo import main

if __name__ == "__main__":
    try:
        main(sys.argv)
    except BrokenPipeError:
        # The reader of the output, such as head, has ended.
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        sys.exit(f"conlleval: {error}")
    except (FormatError, UnicodeDecodeError) as error:
        sys.exit(f"conlleval: {sys.argv[-1]}: {error}")
