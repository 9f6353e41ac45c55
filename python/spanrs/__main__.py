"""``python -m spanrs`` runs the command ``spanrs``."""

from spanrs.cli import main

if __name__ == "__main__":
    main()
