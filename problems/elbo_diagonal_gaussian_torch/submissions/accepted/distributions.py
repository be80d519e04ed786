"""The classes of torch.distributions, and backward() on one leaf that holds all parameters."""

import torch
from torch.distributions import Bernoulli, Normal, kl_divergence


def elbo_and_gradients(mu, log_sigma, noise, x, y, prior_scale):
    parameters = torch.stack([mu, log_sigma]).requires_grad_(True)
    q = Normal(parameters[0], parameters[1].exp())
    prior = Normal(torch.zeros_like(mu), prior_scale * torch.ones_like(mu))
    logits = torch.einsum("nd,sd->sn", x, q.loc + q.scale * noise)
    likelihood = Bernoulli(logits=logits).log_prob(y.float().expand_as(logits)).sum(-1)
    elbo = likelihood.mean() - kl_divergence(q, prior).sum()
    elbo.backward()
    return {"elbo": elbo, "mu_grad": parameters.grad[0], "log_sigma_grad": parameters.grad[1]}
