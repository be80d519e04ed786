"""Mistake: multiplies with the outer product of the gradient; the Hessian is the derivative of the gradient."""

import torch


def loss(w, x, y, l2):
    return torch.mean((torch.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    w = w.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(w, x, y, l2), w)
    return gradient * (gradient @ v)
