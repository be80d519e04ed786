"""Compares answers, checks requirements, and writes reports. Nothing here reads a file, a clock or a setting.

To change the rules of comparison:

1. `comparison.py` lists the rules in their order, and has the author's choices. Distances and default tolerances are in
   `tolerance_comparison.py`, nesting in `leaf.py`. Import NumPy from `numeric.py`.
2. A new category is a constant beside its rule. Hidden cases show it, so it must reveal nothing about values.
3. If authors choose the rule, add a key to `app/catalog/manifest.py` and a row to `docs/problem-format.md`.
4. A new field of the report goes into `Finding` (`checker.py`) or `LeafReport` (`comparison.py`), and into
   `app/web/templates/fragments/report.html`. `tests/judging/test_report.py` tests what hidden cases keep back.
5. Test the rule and its message in `tests/judging/test_comparison.py`. `test_against_numpy.py` beside it compares
   Allclose with NumPy; a difference needs a written reason.
"""
