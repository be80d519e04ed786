import numpy as np


def dynamic_loss_scaling(params, grads, lr, init_scale, growth_interval):
    """Train with float16 gradients and a scale that adapts.

    params:          (N,), float32, the parameters before the first step
    grads:           (T, N), float32, the true gradient of each step; may hold infinities and NaN
    lr:              float, learning rate of plain SGD
    init_scale:      float, the scale of the first step, a power of two from 1 on
    growth_interval: int, how many good steps in a row double the scale
    returns:         {"params": (N,) float32, "scales": (T,) float64, "skipped": (T,) bool}
    """
    raise NotImplementedError("replace this line with your solution")
