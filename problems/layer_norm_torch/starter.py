import torch


def layer_norm(x, gain, bias, eps):
    """Normalise every vector of D features, then scale and shift its features.

    x: (N, T, D), torch.float32
    gain, bias: (D,), torch.float32
    eps: float, above 0
    returns: a new tensor (N, T, D), torch.float32
    """
    raise NotImplementedError("replace this line with your solution")
