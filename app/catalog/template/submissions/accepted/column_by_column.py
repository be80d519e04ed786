import numpy as np


def standardise_columns(x, eps):
    answer = np.empty_like(x)
    for j in range(x.shape[1]):
        column = x[:, j].astype(np.float64)
        centred = column - column.sum() / len(column)
        answer[:, j] = centred / (centred @ centred / len(column) + eps) ** 0.5
    return answer
