"""Mistake: calls backward() twice, which adds the product to the gradient in .grad; clear .grad in between, or use torch.autograd.grad."""

import torch


def loss(w, x, y, l2):
    return torch.mean((torch.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    w = w.detach().clone().requires_grad_()
    loss(w, x, y, l2).backward(create_graph=True)
    (w.grad @ v).backward()
    return w.grad.detach().clone()
