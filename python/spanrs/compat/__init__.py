"""Drop-in replacements: one module for each replaced package, of the same import shape."""
