"""The ELBO of Bayesian logistic regression, differentiated through its samples."""

import jax
import jax.numpy as jnp


def elbo_and_gradients(mu, log_sigma, noise, x, y, prior_scale):
    """mu, log_sigma: (D,), noise: (S, D), x: (N, D), y: (N,); returns the bound and its two gradients."""
    value_and_gradients = jax.value_and_grad(elbo, argnums=(0, 1))
    value, (mu_grad, log_sigma_grad) = value_and_gradients(mu, log_sigma, noise, x, y, prior_scale)
    return {"elbo": value, "mu_grad": mu_grad, "log_sigma_grad": log_sigma_grad}


def elbo(mu, log_sigma, noise, x, y, prior_scale):
    weights = mu + jnp.exp(log_sigma) * noise  # (S, D)
    logits = weights @ x.T  # (S, N)
    log_likelihood = jax.nn.log_sigmoid((2 * y - 1) * logits).sum(axis=1)  # (S,)
    return log_likelihood.mean() - divergence(mu, log_sigma, prior_scale)


def divergence(mu, log_sigma, prior_scale):
    """KL divergence from N(mu, sigma²) to N(0, prior_scale²), added up over the dimensions."""
    ratio = (jnp.exp(2 * log_sigma) + mu**2) / (2 * prior_scale**2)
    return (jnp.log(prior_scale) - log_sigma + ratio - 0.5).sum()
