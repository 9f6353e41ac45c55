"""Thin bridges to other libraries, which are imported only when used."""
