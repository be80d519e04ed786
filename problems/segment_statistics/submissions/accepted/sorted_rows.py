"""Sorts the rows by segment; each segment is then a run of rows, which reduceat reduces."""

import numpy as np


def segment_statistics(values, ids, segments):
    order = np.argsort(ids, kind="stable")
    order = order[ids[order] >= 0]
    answer = {name: np.zeros((segments, values.shape[1]), np.float32) for name in ("sum", "mean", "max")}
    if len(order):
        present, starts, counts = np.unique(ids[order], return_index=True, return_counts=True)
        rows = values[order]
        answer["sum"][present] = np.add.reduceat(rows, starts, axis=0)
        answer["max"][present] = np.maximum.reduceat(rows, starts, axis=0)
        answer["mean"][present] = answer["sum"][present] / counts[:, None]
    return answer
