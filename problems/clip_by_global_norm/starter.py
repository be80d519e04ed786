import numpy as np


def clip_by_global_norm(grads, max_norm):
    """Shorten all gradients by one common factor where their global norm exceeds max_norm.

    grads:    list of float32 arrays of any shapes
    max_norm: float, above 0
    returns:  {"grads": list of float32 arrays of the same shapes, "norm": the global norm before clipping, ()}
    """
    raise NotImplementedError("replace this line with your solution")
