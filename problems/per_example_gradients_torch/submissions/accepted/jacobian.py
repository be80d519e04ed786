"""Reverse mode through all losses at once: the Jacobian has one gradient for each example."""

import torch
from torch.func import jacrev


def clipped_mean_gradient(params, x, y, max_norm):
    def losses(params):
        log_p = torch.log_softmax(torch.tanh(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"], dim=1)
        return -log_p.gather(1, y[:, None]).squeeze(1)

    rows = jacrev(losses)(params)
    norms = torch.cat([leaf.reshape(len(y), -1) for leaf in rows.values()], dim=1).norm(dim=1)
    scale = torch.where(norms > max_norm, max_norm / norms, 1.0)
    return {"norms": norms, "mean": {k: torch.einsum("n,n...->...", scale, v) / len(y) for k, v in rows.items()}}
