"""Integrations with other libraries, which are imported on first use."""
