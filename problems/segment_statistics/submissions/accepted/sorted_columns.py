"""Sorts each column by segment and value: sums are differences of prefix sums, and maxima are last rows."""

import numpy as np


def segment_statistics(values, ids, segments):
    ends = np.searchsorted(np.sort(ids), np.arange(-1, segments), side="right")
    first, last = ends[:-1], ends[1:]
    counts = (last - first)[:, None]
    order = np.lexsort((values.T, np.broadcast_to(ids, values.T.shape)), axis=-1)
    rows = np.take_along_axis(values, order.T, axis=0)
    prefix = np.concatenate([np.zeros((1, values.shape[1])), rows.cumsum(axis=0, dtype=np.float64)])
    total = prefix[last] - prefix[first]
    return {
        "sum": total.astype(np.float32),
        "mean": np.divide(total, counts, out=np.zeros_like(total), where=counts > 0).astype(np.float32),
        "max": np.where(counts > 0, rows[last - 1], np.float32(0)),
    }
