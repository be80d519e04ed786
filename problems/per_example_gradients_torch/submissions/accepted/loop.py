"""One example at a time, with torch.autograd.grad on detached copies."""

import torch


def clipped_mean_gradient(params, x, y, max_norm):
    leaves = {name: leaf.clone().requires_grad_() for name, leaf in params.items()}
    norms, total = [], {name: torch.zeros_like(leaf) for name, leaf in params.items()}
    for row, label in zip(x, y):
        logits = torch.tanh(row @ leaves["w1"] + leaves["b1"]) @ leaves["w2"] + leaves["b2"]
        loss = torch.logsumexp(logits, 0) - logits[label]
        gradients = torch.autograd.grad(loss, list(leaves.values()))
        norm = torch.linalg.vector_norm(torch.cat([g.ravel() for g in gradients]))
        norms.append(norm)
        for name, gradient in zip(leaves, gradients):
            total[name] += gradient * (max_norm / norm if norm > max_norm else 1.0)
    return {"norms": torch.stack(norms), "mean": {name: value / len(y) for name, value in total.items()}}
