"""The order of wrong leaves by severity, for messages, reports, pages and commands.

A wrong shape is worse than a wrong dtype, and a wrong dtype is worse than an unexpected NaN or inf. All other leaves
are ordered by the share of the tolerance that they used. A leaf whose checker gives no share counts as infinitely
wrong. Of equally bad leaves, the first in the output is the worst.
"""

import math

from app.judging.checker import DTYPE, NAN_OR_INF, SHAPE

_FIRST = {SHAPE: 3, DTYPE: 2, NAN_OR_INF: 1}


def severity(category: str | None, tolerance_used: float | None) -> tuple[int, float]:
    """Return the sort key of a leaf: greater is worse, and correct leaves come below wrong ones."""
    if category is None:
        return -1, tolerance_used or 0.0
    if category in _FIRST or tolerance_used is None or math.isnan(tolerance_used):
        return _FIRST.get(category, 0), math.inf
    return 0, tolerance_used
