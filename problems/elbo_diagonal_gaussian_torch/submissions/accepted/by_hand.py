"""No autograd: the gradients are written out, one sample at a time."""

import math

import torch
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy


def elbo_and_gradients(mu, log_sigma, noise, x, y, prior_scale):
    sigma, labels = torch.exp(log_sigma), y.to(x.dtype)
    value = -torch.sum(math.log(prior_scale) - log_sigma + (sigma**2 + mu**2) / (2 * prior_scale**2) - 0.5)
    mu_grad, log_sigma_grad = -mu / prior_scale**2, 1 - sigma**2 / prior_scale**2
    for epsilon in noise:
        logits = x @ (mu + sigma * epsilon)
        slope = x.T @ (labels - torch.sigmoid(logits))
        value = value - cross_entropy(logits, labels, reduction="sum") / len(noise)
        mu_grad = mu_grad + slope / len(noise)
        log_sigma_grad = log_sigma_grad + slope * sigma * epsilon / len(noise)
    return {"elbo": value, "mu_grad": mu_grad, "log_sigma_grad": log_sigma_grad}
