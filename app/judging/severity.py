"""Which leaf of a wrong answer is the worst: the one definition for messages, reports, pages and commands.

A leaf of another shape is worse than one of another dtype, and that is worse than one where NaN or inf is out of place:
each of them is infinitely far off. All other leaves are ordered by the share of the tolerance that they used; a leaf
whose checker gives no share counts as infinitely far off. Of equally bad leaves the first in the output is the worst.
"""

import math

from app.judging.checker import DTYPE, NAN_OR_INF, SHAPE

_FIRST = {SHAPE: 3, DTYPE: 2, NAN_OR_INF: 1}


def severity(category: str | None, tolerance_used: float | None) -> tuple[int, float]:
    """Return what orders leaves: greater is worse, and right leaves are less bad than wrong ones."""
    if category is None:
        return -1, tolerance_used or 0.0
    if category in _FIRST or tolerance_used is None or math.isnan(tolerance_used):
        return _FIRST.get(category, 0), math.inf
    return 0, tolerance_used
