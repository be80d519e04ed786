"""Mistake: adds the examples up; the loss is their mean."""

import torch


def hessian_vector_product(w, v, x, y, l2):
    def total(w):
        return torch.sum((torch.tanh(x @ w) - y) ** 2) / 2 + l2 / 2 * (w @ w)

    return torch.func.jvp(torch.func.grad(total), (w,), (v,))[1]
