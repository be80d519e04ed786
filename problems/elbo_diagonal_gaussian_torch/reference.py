"""The ELBO of Bayesian logistic regression, differentiated through its samples."""

import math

import torch
from torch.nn.functional import logsigmoid


def elbo_and_gradients(mu, log_sigma, noise, x, y, prior_scale):
    """mu, log_sigma: (D,), noise: (S, D), x: (N, D), y: (N,); returns the bound and its two gradients."""
    mu, log_sigma = mu.clone().requires_grad_(), log_sigma.clone().requires_grad_()
    value = elbo(mu, log_sigma, noise, x, y, prior_scale)
    mu_grad, log_sigma_grad = torch.autograd.grad(value, [mu, log_sigma])
    return {"elbo": value.detach(), "mu_grad": mu_grad, "log_sigma_grad": log_sigma_grad}


def elbo(mu, log_sigma, noise, x, y, prior_scale):
    weights = mu + log_sigma.exp() * noise  # (S, D)
    logits = weights @ x.T  # (S, N)
    log_likelihood = logsigmoid((2 * y - 1) * logits).sum(dim=1)  # (S,)
    return log_likelihood.mean() - divergence(mu, log_sigma, prior_scale)


def divergence(mu, log_sigma, prior_scale):
    """KL divergence from N(mu, sigma²) to N(0, prior_scale²), added up over the dimensions."""
    ratio = (torch.exp(2 * log_sigma) + mu**2) / (2 * prior_scale**2)
    return (math.log(prior_scale) - log_sigma + ratio - 0.5).sum()
