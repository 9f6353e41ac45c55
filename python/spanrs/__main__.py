"""``python -m spanrs`` is ``spanrs``."""

from spanrs.cli import main

if __name__ == "__main__":
    main()
