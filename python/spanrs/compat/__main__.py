"""``python -m spanrs.compat install-hook NAME...`` and ``remove-hook``: activation in every interpreter."""

from __future__ import annotations

import sys

from spanrs.compat._hook_file import main

sys.exit(main())
