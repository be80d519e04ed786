"""Verification: prove that a package judges rightly before students see it. `verify.py` runs the checks in order."""
