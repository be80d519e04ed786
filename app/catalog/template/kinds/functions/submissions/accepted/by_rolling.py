import numpy as np


def rotate_half(x):
    half = x.shape[-1] // 2
    turned = np.roll(x, half, axis=-1)
    turned[..., :half] *= -1
    return turned


def apply_rotary(x, angles):
    return np.cos(angles) * x + np.sin(angles) * rotate_half(x)
