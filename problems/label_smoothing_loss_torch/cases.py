"""Inputs for the cases: each label must be one of the classes that its row allows."""

import numpy as np


def classification(seed, examples, classes, smoothing, share=0.6, scale=2.0, shift=0.0, offset=0.0):
    """Logits (N, C), labels (N,) and allowed classes (N, C); about `share` of the classes are allowed.

    `scale` spreads all logits, `offset` moves all of them, and `shift` moves those of classes that are not allowed.
    """
    rng = np.random.default_rng(seed)
    logits = offset + scale * rng.normal(size=(examples, classes))
    labels = rng.integers(classes, size=examples)
    allowed = rng.random((examples, classes)) < share
    allowed[np.arange(examples), labels] = True
    logits = np.where(allowed, logits, logits + shift)
    return {
        "logits": logits.astype(np.float32),
        "labels": labels.astype(np.int64),
        "allowed": allowed,
        "smoothing": smoothing,
    }
