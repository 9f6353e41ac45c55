"""``python -m spanrs.compat.faireval --config FILE``."""

import sys

from spanrs.compat.faireval.command import main

if __name__ == "__main__":
    sys.exit(main())
