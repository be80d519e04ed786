"""Mistake: computes the whole Hessian, which has the square of the number of weights; only its product with v is needed."""

import torch


def loss(w, x, y, l2):
    return torch.mean((torch.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)


def hessian_vector_product(w, v, x, y, l2):
    return torch.func.hessian(loss)(w, x, y, l2) @ v
