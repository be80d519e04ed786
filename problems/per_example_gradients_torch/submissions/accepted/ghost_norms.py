"""No per-example gradients: norms of outer products from one backward pass, then one of the weighted loss."""

import torch
import torch.nn.functional as F


def clipped_mean_gradient(params, x, y, max_norm):
    p = {name: leaf.detach().clone().requires_grad_(True) for name, leaf in params.items()}
    before = x @ p["w1"] + p["b1"]
    h = torch.tanh(before)
    logits = h @ p["w2"] + p["b2"]
    losses = F.cross_entropy(logits, y, reduction="none")
    back_1, back_2 = torch.autograd.grad(losses.sum(), [before, logits], retain_graph=True)
    squares = back_1.pow(2).sum(1) * (1 + x.pow(2).sum(1)) + back_2.pow(2).sum(1) * (1 + h.pow(2).sum(1))
    norms = squares.sqrt().detach()
    weights = torch.minimum(torch.ones_like(norms), max_norm / norms)
    mean = torch.autograd.grad((weights * losses).mean(), list(p.values()))
    return {"norms": norms, "mean": dict(zip(p, mean))}
