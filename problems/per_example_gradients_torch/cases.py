"""Inputs for the cases: a random network, and a limit that a given share of the examples exceeds."""

import numpy as np


def network(seed, examples, features, hidden, classes, clipped):
    """`clipped`: the share of the examples whose gradients are longer than max_norm."""
    rng = np.random.default_rng(seed)
    params = {
        "w1": 0.6 * rng.normal(size=(features, hidden)),
        "b1": 0.5 * rng.normal(size=hidden),
        "w2": rng.normal(size=(hidden, classes)),
        "b2": rng.normal(size=classes),
    }
    x = rng.normal(size=(examples, features))
    y = rng.integers(0, classes, size=examples)
    norms = np.sort(gradient_norms(params, x, y))[::-1]
    return {
        "params": {name: leaf.astype(np.float32) for name, leaf in params.items()},
        "x": x.astype(np.float32),
        "y": y.astype(np.int64),
        "max_norm": limit_for(norms, round(clipped * examples)),
    }


def limit_for(norms, count):
    """A limit in the middle between neighbours, so that rounding never decides; `norms` fall."""
    if count == 0:
        return float(1.5 * norms[0])
    if count == len(norms):
        return float(0.6 * norms[-1])
    return float(np.sqrt(norms[count - 1] * norms[count]))


def gradient_norms(params, x, y):
    """The gradient of a matrix by one example is an outer product, and its norm a product of two norms."""
    h = np.tanh(x @ params["w1"] + params["b1"])
    logits = h @ params["w2"] + params["b2"]
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    back = (p @ params["w2"].T) * (1 - h**2)
    outer = (p**2).sum(1) * (1 + (h**2).sum(1)) + (back**2).sum(1) * (1 + (x**2).sum(1))
    return np.sqrt(outer)
