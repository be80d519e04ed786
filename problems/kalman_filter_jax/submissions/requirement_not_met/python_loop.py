"""Mistake: a Python loop, which JAX unrolls into T copies of the step; the problem asks for a scan."""

import jax
import jax.numpy as jnp


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    means, covariances, total = [], [], jnp.float32(0)
    m, p = mean, covariance
    for y in observations:
        m, p = transition @ m, transition @ p @ transition.T + process_noise
        seen = ~jnp.isnan(y).any()
        v = jnp.where(seen, y, 0.0) - emission @ m
        s = emission @ p @ emission.T + observation_noise
        gain = seen * (p @ emission.T @ jnp.linalg.inv(s))
        density = -0.5 * (v @ jnp.linalg.solve(s, v) + jnp.linalg.slogdet(s)[1] + len(y) * jnp.log(2 * jnp.pi))
        m, p, total = m + gain @ v, p - gain @ emission @ p, total + seen * density
        means.append(m)
        covariances.append(p)
    return {"means": jnp.stack(means), "covariances": jnp.stack(covariances), "log_likelihood": total}
