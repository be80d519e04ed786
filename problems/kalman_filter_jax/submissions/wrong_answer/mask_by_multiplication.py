"""Mistake: multiplies by a mask of 0 and 1, but NaN times 0 is NaN; select with jnp.where."""

import jax
import jax.numpy as jnp


@jax.jit
def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    def step(state, y):
        m, p = state
        m, p = transition @ m, transition @ p @ transition.T + process_noise
        missing = jnp.isnan(y).any()
        v = y - emission @ m
        s = emission @ p @ emission.T + observation_noise
        gain = p @ emission.T @ jnp.linalg.inv(s)
        density = -0.5 * (v @ jnp.linalg.solve(s, v) + jnp.linalg.slogdet(s)[1] + len(y) * jnp.log(2 * jnp.pi))
        m, p = m + ~missing * (gain @ v), p - ~missing * (gain @ emission @ p)
        return (m, p), (m, p, ~missing * density)

    _, (means, covariances, densities) = jax.lax.scan(step, (mean, covariance), observations)
    return {"means": means, "covariances": covariances, "log_likelihood": densities.sum()}
