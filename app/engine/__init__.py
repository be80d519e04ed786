"""Judge a source in boxes, without a database.

`prepare.py` makes the cases of a package and runs its reference. `judge.py` judges a source on them, in five steps. The
worker, `allclose judge` and the verification of packages stand on these two.
"""
