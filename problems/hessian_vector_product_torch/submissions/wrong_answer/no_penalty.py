"""Mistake: leaves the penalty out; its Hessian is l2 times the identity."""

import torch


def loss(w, x, y, l2):
    return torch.mean((torch.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    w = w.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(w, x, y, 0.0), w, create_graph=True)
    return torch.autograd.grad(gradient @ v, w)[0]
