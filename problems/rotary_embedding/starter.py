import numpy as np


def rotary_embedding(x, positions, base):
    """Rotate each pair of neighbouring features by an angle that is proportional to the position.

    x: (T, H, D), float32, D even
    positions: (T,), int64, from 0
    base: float, above 1
    returns: (T, H, D), float32
    """
    raise NotImplementedError("replace this line with your solution")
