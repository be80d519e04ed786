"""A loop over the rows: each one changes its own segment only."""

import numpy as np


def segment_statistics(values, ids, segments):
    total = np.zeros((segments, values.shape[1]), np.float32)
    largest = np.full_like(total, -np.inf)
    count = np.zeros((segments, 1), np.float32)
    for row, segment in zip(values, ids.tolist(), strict=True):
        if segment >= 0:
            total[segment] += row
            np.maximum(largest[segment], row, out=largest[segment])
            count[segment] += 1
    largest[count[:, 0] == 0] = 0
    return {"sum": total, "mean": total / np.maximum(count, 1), "max": largest}
