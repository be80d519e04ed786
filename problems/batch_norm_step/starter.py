import numpy as np


def batch_norm_step(x, gain, bias, running_mean, running_var, momentum, eps):
    """Normalise a batch in training mode, and update the running statistics.

    x: (N, C, H, W), float32
    gain, bias, running_mean, running_var: (C,), float32
    momentum: float, the weight of the new batch
    eps: float, above 0
    returns: {"y": (N, C, H, W), "running_mean": (C,), "running_var": (C,)}, float32
    """
    raise NotImplementedError("replace this line with your solution")
