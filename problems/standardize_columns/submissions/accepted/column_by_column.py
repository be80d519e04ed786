"""Takes the present values out of each column, in float32."""

import numpy as np


def standardize_columns(x, eps):
    answer = np.zeros_like(x)
    for j in range(x.shape[1]):
        rows = np.flatnonzero(~np.isnan(x[:, j]))
        if len(rows):
            values = x[rows, j]
            centred = values - values.mean()
            answer[rows, j] = centred / np.sqrt(centred @ centred / len(rows) + np.float32(eps))
    return answer
