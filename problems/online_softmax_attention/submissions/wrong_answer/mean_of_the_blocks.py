"""Mistake: averages the outputs of the blocks; blocks with larger scores must count more."""

import numpy as np


def attention_in_blocks(q, k, v, block_size):
    largest, total = np.full(len(q), -np.inf, dtype=np.float32), np.zeros(len(q), dtype=np.float32)
    outputs, maxima, totals = [], [], []
    for start in range(0, len(k), block_size):
        block = slice(start, start + block_size)
        scores = q @ k[block].T / np.float32(np.sqrt(q.shape[1]))
        new_largest = np.maximum(largest, scores.max(axis=1))
        total = total * np.exp(largest - new_largest) + np.exp(scores - new_largest[:, None]).sum(axis=1)
        largest = new_largest
        factors = np.exp(scores - scores.max(axis=1, keepdims=True))
        outputs.append(factors @ v[block] / factors.sum(axis=1, keepdims=True))
        maxima.append(largest)
        totals.append(total)
    return {"output": np.mean(outputs, axis=0), "row_max": np.stack(maxima), "row_sum": np.stack(totals)}
