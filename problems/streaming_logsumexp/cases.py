"""Random streams of scores and values."""

import numpy as np


def stream(seed, rows, sizes, offset=0.0, slope=0.0, masked=0.0, masked_first=0, empty_rows=0):
    """scores and values: (rows, sum of sizes).

    Scores are around `offset` and grow by `slope` for each column. A place is masked with probability `masked`; the
    first `masked_first` columns of every other row are masked, and `empty_rows` rows are masked completely.
    """
    random = np.random.default_rng(seed)
    columns = sum(sizes)
    scores = offset + random.normal(0, 1.5, (rows, columns)) + slope * np.arange(columns)
    scores[random.random((rows, columns)) < masked] = -np.inf
    scores[::2, :masked_first] = -np.inf
    scores[random.permutation(rows)[:empty_rows]] = -np.inf
    values = random.uniform(1, 5, (rows, columns)) + np.linspace(0, 4, columns)
    return {"scores": scores.astype(np.float32), "values": values.astype(np.float32), "sizes": list(sizes)}
