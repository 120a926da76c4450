"""Checks the mapping tables against the vendors' headers; see `ci/mapping/verify.py`."""
