"""The library's own function."""

from torch.nn.functional import layer_norm as library_layer_norm


def layer_norm(x, gain, bias, eps):
    return library_layer_norm(x, (x.shape[-1],), weight=gain, bias=bias, eps=eps)
