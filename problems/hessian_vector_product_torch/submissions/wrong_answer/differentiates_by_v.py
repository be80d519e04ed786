"""Mistake: differentiates the product of gradient and v by v, which gives the gradient; differentiate it by w and keep v fixed."""

import torch


def loss(w, x, y, l2):
    return torch.mean((torch.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    w, v = (leaf.detach().clone().requires_grad_() for leaf in (w, v))
    (gradient,) = torch.autograd.grad(loss(w, x, y, l2), w, create_graph=True)
    return torch.autograd.grad(gradient @ v, v)[0].detach()
