"""Rendering of tables, data frames and HTML pages, independent of their content."""
