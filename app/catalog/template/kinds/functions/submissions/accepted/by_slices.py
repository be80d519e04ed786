import numpy as np


def rotate_half(x):
    half = x.shape[-1] // 2
    return np.concatenate((-x[..., half:], x[..., :half]), axis=-1)


def apply_rotary(x, angles):
    return rotate_half(x) * np.sin(angles) + x * np.cos(angles)
