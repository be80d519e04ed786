"""A counted loop that writes into preallocated arrays; a missing row gets a gain of 0."""

import jax
import jax.numpy as jnp


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    steps, size = observations.shape

    def body(t, state):
        m, p, means, covariances, total = state
        m, p = transition @ m, transition @ p @ transition.T + process_noise
        seen = ~jnp.isnan(observations[t]).any()
        v = jnp.nan_to_num(observations[t]) - emission @ m
        s = emission @ p @ emission.T + observation_noise
        factor = jax.scipy.linalg.cho_factor(s, lower=True)
        gain = seen * jax.scipy.linalg.cho_solve(factor, emission @ p).T
        log_det = 2 * jnp.log(jnp.diagonal(factor[0])).sum()
        density = -0.5 * (v @ jax.scipy.linalg.cho_solve(factor, v) + log_det + size * jnp.log(2 * jnp.pi))
        m, p = m + gain @ v, p - gain @ (emission @ p)
        return m, p, means.at[t].set(m), covariances.at[t].set(p), total + seen * density

    means = jnp.zeros((steps, len(mean)))
    covariances = jnp.zeros((steps, *covariance.shape))
    start = mean, covariance, means, covariances, jnp.float32(0)
    _, _, means, covariances, total = jax.lax.fori_loop(0, steps, body, start)
    return {"means": means, "covariances": covariances, "log_likelihood": total}
