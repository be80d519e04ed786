import torch


def momentum_sgd(params, velocities, lr, momentum, nesterov):
    """Take one step of SGD with momentum, in place.

    params:     list of torch.nn.Parameter, float32; p.grad is a tensor of p's shape, or None
    velocities: list of float32 tensors, one for each parameter, of its shape
    lr:         float, above 0
    momentum:   float, from 0 to below 1
    nesterov:   bool, whether to take Nesterov's step
    returns:    int, how many parameters were updated
    """
    raise NotImplementedError("replace this line with your solution")
