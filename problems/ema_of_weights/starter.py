import numpy as np


def ema_of_weights(weights, decay):
    """The exponential moving average of the weights, at the start and after each step.

    weights: (T, N), float32, row t holds the weights after t steps
    decay:   float, from 0 to below 1
    returns: (T, N), float32, row t holds the average after t steps
    """
    raise NotImplementedError("replace this line with your solution")
