import numpy as np

# Rounding moves a sum of probabilities by far less than this.
MARGIN = 2e-4


def spread(seed, rows, tokens, temperature, loc=0):
    """Random logits, and a top_p that no sum of probabilities comes close to."""
    rng = np.random.default_rng(seed)
    logits = (loc + 2 * rng.standard_normal((rows, tokens))).astype(np.float32)
    sums = descending_sums(logits, temperature)
    top_p = rng.uniform(0.4, 0.95)
    while np.abs(sums - top_p).min() < MARGIN:
        top_p = rng.uniform(0.4, 0.95)
    return {"logits": logits, "top_p": float(top_p), "temperature": float(temperature)}


def descending_sums(logits, temperature):
    scaled = logits.astype(np.float64) / temperature
    probabilities = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return np.cumsum(-np.sort(-probabilities, axis=1), axis=1)


def level(seed, rows, tokens):
    """Sixteen equal logits in each row, and others too low to count: each probability is exactly 1/16 or 0.

    The rows lie far apart, so a maximum over the whole batch leaves some of them with nothing.
    """
    rng = np.random.default_rng(seed)
    logits = np.empty((rows, tokens), dtype=np.float32)
    for row, top in zip(logits, 150 * rng.permutation(rows), strict=True):
        row[:] = top - 400
        row[rng.permutation(tokens)[:16]] = top
    return {"logits": logits, "top_p": float(rng.integers(4, 13)) / 16, "temperature": 1.0}
