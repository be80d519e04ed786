"""Segments by unbuffered addition and maximum."""

import numpy as np


def segment_statistics(values, ids, segments):
    """values: (N, D), ids: (N,); returns three arrays (S, D)."""
    is_used = ids >= 0
    values, ids = values[is_used], ids[is_used]
    shape = (segments, values.shape[1])

    count = np.bincount(ids, minlength=segments)[:, None]
    total = np.zeros(shape, np.float32)
    np.add.at(total, ids, values)
    largest = np.full(shape, -np.inf, np.float32)
    np.maximum.at(largest, ids, values)

    mean = (total / np.maximum(count, 1)).astype(np.float32)
    return {"sum": total, "mean": mean, "max": np.where(count > 0, largest, 0)}
