"""The Hessian times a vector: the gradient of the gradient's product with the vector."""

import torch


def loss(w, x, y, l2):
    """w: (D,), x: (N, D), y: (N,), l2: a number → ()."""
    return torch.mean((torch.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    """w: (D,), v: (D,), x: (N, D), y: (N,) → (D,)."""
    w = w.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(w, x, y, l2), w, create_graph=True)
    (product,) = torch.autograd.grad(gradient @ v, w)
    return product
