"""Inputs for the cases: logits whose rows have very different sizes."""

import numpy as np


def rows_far_apart(seed, examples, classes):
    """Each row has a spread of about 2 around its own offset, from -400 to 400."""
    rng = np.random.default_rng(seed)
    offsets = rng.permutation(np.linspace(-400, 400, examples))
    logits = offsets[:, None] + 2 * rng.normal(size=(examples, classes))
    return {
        "logits": logits.astype(np.float32),
        "labels": rng.integers(0, classes, size=examples),
    }
