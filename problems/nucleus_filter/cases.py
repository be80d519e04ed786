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
    """Eight equal logits in each row, and others too low to count: each probability is exactly 1/8 or 0."""
    rng = np.random.default_rng(seed)
    logits = np.full((rows, tokens), -400, dtype=np.float32)
    for row in logits:
        row[rng.permutation(tokens)[:8]] = rng.integers(-3, 4)
    return {"logits": logits, "top_p": float(rng.integers(2, 7)) / 8, "temperature": 1.0}
