"""Mistake: multiplies the noise with the variance; it belongs to the standard deviation."""

import jax
import jax.numpy as jnp


def elbo_and_gradients(mu, log_sigma, noise, x, y, prior_scale):
    def bound(mu, log_sigma):
        sigma = jnp.exp(log_sigma)
        weights = mu + sigma**2 * noise
        z = (2 * y - 1) * (weights @ x.T)
        likelihood = jax.nn.log_sigmoid(z).sum(axis=1).mean()
        kl = jnp.log(prior_scale) - log_sigma + (sigma**2 + mu**2) / (2 * prior_scale**2) - 0.5
        return likelihood - kl.sum()

    value, (mu_grad, log_sigma_grad) = jax.value_and_grad(bound, argnums=(0, 1))(mu, log_sigma)
    return {"elbo": value, "mu_grad": mu_grad, "log_sigma_grad": log_sigma_grad}
