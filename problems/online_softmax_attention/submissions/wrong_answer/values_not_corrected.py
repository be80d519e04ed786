"""Mistake: corrects the sum and not the weighted values; both are relative to the old maximum and need the same factor."""

import numpy as np


def attention_in_blocks(q, k, v, block_size):
    largest = np.full(len(q), -np.inf, dtype=np.float32)
    total = np.zeros(len(q), dtype=np.float32)
    weighted = np.zeros((len(q), v.shape[1]), dtype=np.float32)
    maxima, totals = [], []
    for start in range(0, len(k), block_size):
        block = slice(start, start + block_size)
        scores = q @ k[block].T / np.float32(np.sqrt(q.shape[1]))
        new_largest = np.maximum(largest, scores.max(axis=1))
        factors = np.exp(scores - new_largest[:, None])
        correction = np.exp(largest - new_largest)
        total = total * correction + factors.sum(axis=1)
        weighted = weighted + factors @ v[block]
        largest = new_largest
        maxima.append(largest)
        totals.append(total)
    return {"output": weighted / total[:, None], "row_max": np.stack(maxima), "row_sum": np.stack(totals)}
