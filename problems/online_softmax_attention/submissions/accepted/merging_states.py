"""Computes the state of each block alone, in float64, and merges the states one after the other."""

import numpy as np


def attention_in_blocks(q, k, v, block_size):
    def state_of(keys, values):
        scores = q.astype(np.float64) @ keys.T / q.shape[1] ** 0.5
        peak = scores.max(axis=1, keepdims=True)
        factors = np.exp(scores - peak)
        return peak, factors.sum(axis=1, keepdims=True), factors @ values

    def merge(one, other):
        peak = np.maximum(one[0], other[0])
        a, b = np.exp(one[0] - peak), np.exp(other[0] - peak)
        return peak, a * one[1] + b * other[1], a * one[2] + b * other[2]

    edges = range(0, len(k), block_size)
    states = []
    for start in edges:
        state = state_of(k[start : start + block_size], v[start : start + block_size])
        states.append(merge(states[-1], state) if states else state)
    peak, total, weighted = states[-1]
    return {
        "output": (weighted / total).astype(np.float32),
        "row_max": np.array([state[0][:, 0] for state in states], dtype=np.float32),
        "row_sum": np.array([state[1][:, 0] for state in states], dtype=np.float32),
    }
