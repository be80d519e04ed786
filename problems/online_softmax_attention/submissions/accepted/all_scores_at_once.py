"""Computes all scores, and reads the states off the first keys of each block's end; exact, but not small."""

import numpy as np


def attention_in_blocks(q, k, v, block_size):
    scores = np.einsum("td,sd->ts", q, k) / np.sqrt(np.float32(q.shape[1]))
    ends = [min(start + block_size, len(k)) for start in range(0, len(k), block_size)]
    maxima = np.maximum.accumulate(scores, axis=1)[:, np.array(ends) - 1].T
    sums = np.stack([np.exp(scores[:, :end] - peak[:, None]).sum(axis=1) for end, peak in zip(ends, maxima, strict=True)])
    weights = np.exp(scores - maxima[-1][:, None]) / sums[-1][:, None]
    return {"output": weights @ v, "row_max": maxima.copy(), "row_sum": sums}
