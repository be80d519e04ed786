"""Mistake: never clears .grad between the examples, so backward() adds each gradient to the earlier ones; clear it for every example."""

import torch
from torch.nn.functional import cross_entropy


def clipped_mean_gradient(params, x, y, max_norm):
    leaves = {name: leaf.clone().requires_grad_() for name, leaf in params.items()}
    norms, total = [], {name: torch.zeros_like(leaf) for name, leaf in params.items()}
    for row, label in zip(x, y):
        logits = torch.tanh(row @ leaves["w1"] + leaves["b1"]) @ leaves["w2"] + leaves["b2"]
        cross_entropy(logits, label).backward()
        norm = torch.sqrt(sum(leaf.grad.square().sum() for leaf in leaves.values()))
        norms.append(norm)
        for name, leaf in leaves.items():
            total[name] += leaf.grad * torch.clamp(max_norm / norm, max=1.0)
    return {"norms": torch.stack(norms), "mean": {name: value / len(y) for name, value in total.items()}}
