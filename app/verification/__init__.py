"""Proving that a problem is right before anybody sees it: `verify.py` has the checks in their order, one file each."""
