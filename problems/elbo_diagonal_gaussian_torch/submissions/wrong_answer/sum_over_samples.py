"""Mistake: adds the samples up; an expectation is their mean."""

import math

import torch
from torch.nn.functional import logsigmoid


def elbo_and_gradients(mu, log_sigma, noise, x, y, prior_scale):
    mu = mu.clone().requires_grad_()
    log_sigma = log_sigma.clone().requires_grad_()
    sigma = log_sigma.exp()
    weights = mu + sigma * noise
    z = (2 * y - 1) * (weights @ x.T)
    likelihood = logsigmoid(z).sum()
    kl = math.log(prior_scale) - log_sigma + (sigma**2 + mu**2) / (2 * prior_scale**2) - 0.5
    elbo = likelihood - kl.sum()
    mu_grad, log_sigma_grad = torch.autograd.grad(elbo, [mu, log_sigma])
    return {"elbo": elbo, "mu_grad": mu_grad, "log_sigma_grad": log_sigma_grad}
