"""Mistake: returns the gradient by sigma; the parameter is its logarithm, so the chain rule adds a factor."""

import math

import torch
from torch.nn.functional import logsigmoid


def elbo_and_gradients(mu, log_sigma, noise, x, y, prior_scale):
    mu = mu.clone().requires_grad_()
    log_sigma = log_sigma.clone().requires_grad_()
    sigma = log_sigma.exp()
    weights = mu + sigma * noise
    z = (2 * y - 1) * (weights @ x.T)
    likelihood = logsigmoid(z).sum(dim=1).mean()
    kl = math.log(prior_scale) - sigma.log() + (sigma**2 + mu**2) / (2 * prior_scale**2) - 0.5
    elbo = likelihood - kl.sum()
    mu_grad, log_sigma_grad = torch.autograd.grad(elbo, [mu, sigma])
    return {"elbo": elbo, "mu_grad": mu_grad, "log_sigma_grad": log_sigma_grad}
