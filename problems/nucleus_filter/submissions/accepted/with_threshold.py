"""Finds how many tokens of each row stay, and masks by rank; the answer itself is never sorted."""

import numpy as np


def nucleus_filter(logits, top_p, temperature):
    scaled = logits / np.float32(temperature)
    weights = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    order = np.lexsort((np.broadcast_to(np.arange(weights.shape[1]), weights.shape), -weights), axis=-1)
    reached = np.cumsum(np.take_along_axis(weights, order, axis=-1), axis=-1)
    count = 1 + (reached[:, :-1] < top_p).sum(axis=-1, keepdims=True)
    rank = np.argsort(order, axis=-1)
    weights = weights * (rank < count)
    return weights / weights.sum(axis=-1, keepdims=True)
