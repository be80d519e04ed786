"""A loop over sequences and positions, with each vector's statistics in float64."""

import numpy as np


def layer_norm(x, gain, bias, eps):
    answer = np.empty_like(x)
    for n, sequence in enumerate(x):
        for t, vector in enumerate(sequence.astype(np.float64)):
            centred = vector - vector.sum() / len(vector)
            scale = (centred @ centred / len(vector) + eps) ** -0.5
            answer[n, t] = centred * scale * gain + bias
    return answer
