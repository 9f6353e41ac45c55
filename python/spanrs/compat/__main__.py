"""``python -m spanrs.compat install-hook NAME...`` and ``remove-hook``: activate packages in every interpreter."""

from __future__ import annotations

import sys

from spanrs.compat._hook_file import main

if __name__ == "__main__":
    sys.exit(main())
