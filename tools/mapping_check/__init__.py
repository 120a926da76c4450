"""Checks the mapping tables against the vendors' headers; see `tools/verify_mapping.py`."""
