"""Programs of replaced packages, run with the packages and with spanrs; see ``__main__``. Not part of the gate."""
