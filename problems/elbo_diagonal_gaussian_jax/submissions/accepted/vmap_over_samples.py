"""One sample at a time, then vmap; the parameters are one dict, and the whole is compiled."""

import jax
import jax.numpy as jnp
from jax.scipy.stats import norm


@jax.jit
def elbo_and_gradients(mu, log_sigma, noise, x, y, prior_scale):
    def one_sample(parameters, epsilon):
        w = parameters["mu"] + epsilon * jnp.exp(parameters["log_sigma"])
        z = x @ w
        return jnp.sum(y * z - jnp.logaddexp(0.0, z))

    def bound(parameters):
        expected = jnp.mean(jax.vmap(one_sample, in_axes=(None, 0))(parameters, noise))
        variance = jnp.exp(parameters["log_sigma"]) ** 2
        entropy = jnp.sum(0.5 * jnp.log(2 * jnp.pi * jnp.e * variance))
        prior = jnp.sum(norm.logpdf(parameters["mu"], 0.0, prior_scale) - variance / (2 * prior_scale**2))
        return expected + prior + entropy

    value, gradients = jax.value_and_grad(bound)({"mu": mu, "log_sigma": log_sigma})
    return {"elbo": value, "mu_grad": gradients["mu"], "log_sigma_grad": gradients["log_sigma"]}
