"""Random logits: rows at different heights, masked classes, and rows without any class."""

import numpy as np


def rows_of_logits(seed, rows, classes, offset=0.0, spread=0.0, masked=0.0, empty_rows=0, cooling=1.0):
    """logits: (rows, classes), around `offset`, each row moved by up to `spread`.

    A class is masked with probability `masked`, but one class of each row stays. Then `empty_rows` rows are masked
    completely. The temperature is between 0.5 and 2, divided by `cooling`.
    """
    random = np.random.default_rng(seed)
    logits = offset + random.normal(0, 2, (rows, classes))
    logits += np.linspace(-spread, spread, rows)[random.permutation(rows), None]
    hidden = random.random((rows, classes)) < masked
    hidden[np.arange(rows), random.integers(classes, size=rows)] = False
    hidden[random.permutation(rows)[:empty_rows]] = True
    logits[hidden] = -np.inf
    temperature = random.uniform(0.5, 0.8) if random.random() < 0.5 else random.uniform(1.2, 1.6)
    return {"logits": logits.astype(np.float32), "temperature": float(temperature / cooling)}
