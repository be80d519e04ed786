"""lax.cond chooses between two functions of the predicted state; the log likelihood is carried along."""

import jax
import jax.numpy as jnp
from jax.scipy.stats import multivariate_normal


def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    def seen(state, y):
        m, p, total = state
        s = emission @ p @ emission.T + observation_noise
        gain = p @ emission.T @ jnp.linalg.inv(s)
        total += multivariate_normal.logpdf(y, emission @ m, s)
        rest = jnp.eye(len(m)) - gain @ emission
        return m + gain @ (y - emission @ m), rest @ p @ rest.T + gain @ observation_noise @ gain.T, total

    def body(state, y):
        m, p, total = state
        state = transition @ m, transition @ p @ transition.T + process_noise, total
        state = jax.lax.cond(jnp.isfinite(y).all(), seen, lambda state, y: state, state, y)
        return state, state[:2]

    start = mean, covariance, jnp.float32(0)
    (_, _, total), (means, covariances) = jax.jit(lambda: jax.lax.scan(body, start, observations))()
    return {"means": means, "covariances": covariances, "log_likelihood": total}
