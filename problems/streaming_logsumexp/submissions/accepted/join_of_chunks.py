"""Reduces each chunk by itself, and joins two reduced parts: an associative operation. In float64."""

import functools

import numpy as np


def reduced(scores, values):
    top = scores.max(axis=1).astype(np.float64)
    safe = np.where(np.isfinite(top), top, 0.0)
    powers = np.exp(scores - safe[:, None])
    return top, powers.sum(axis=1), np.einsum("bk,bk->b", powers, values)


def joined(first, second):
    top = np.maximum(first[0], second[0])
    safe = np.where(np.isfinite(top), top, 0.0)
    a, b = np.exp(first[0] - safe), np.exp(second[0] - safe)
    return top, a * first[1] + b * second[1], a * first[2] + b * second[2]


def streaming_logsumexp(chunks):
    top, total, weighted = functools.reduce(joined, (reduced(s, v) for s, v in chunks))
    has_places = total > 0
    logarithm = np.log(total, out=np.zeros_like(total), where=has_places)
    mean = np.divide(weighted, total, out=np.zeros_like(total), where=has_places)
    return {"logsumexp": (top + logarithm).astype(np.float32), "mean": mean.astype(np.float32)}
