"""Mistake: looks through all rows once for each segment; each row belongs to one segment, so one pass over the rows is enough."""

import numpy as np


def segment_statistics(values, ids, segments):
    zeros = np.zeros(values.shape[1], np.float32)
    groups = [values[ids == segment] for segment in range(segments)]
    return {
        "sum": np.array([rows.sum(axis=0) for rows in groups]),
        "mean": np.array([rows.mean(axis=0) if len(rows) else zeros for rows in groups]),
        "max": np.array([rows.max(axis=0) if len(rows) else zeros for rows in groups]),
    }
