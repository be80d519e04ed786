"""The Kalman filter as one scan: every step predicts and updates, and `where` drops the updates of missing rows."""

import jax
import jax.numpy as jnp


@jax.jit
def kalman_filter(observations, mean, covariance, transition, process_noise, emission, observation_noise):
    """observations: (T, M); returns {"means": (T, N), "covariances": (T, N, N), "log_likelihood": ()}."""

    def step(state, y):
        mean, covariance = state
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + process_noise
        missing = jnp.isnan(y).any()
        known = jnp.where(missing, 0.0, y)
        new_mean, new_covariance, log_density = update(mean, covariance, known, emission, observation_noise)
        mean = jnp.where(missing, mean, new_mean)
        covariance = jnp.where(missing, covariance, new_covariance)
        return (mean, covariance), (mean, covariance, jnp.where(missing, 0.0, log_density))

    _, (means, covariances, log_densities) = jax.lax.scan(step, (mean, covariance), observations)
    return {"means": means, "covariances": covariances, "log_likelihood": log_densities.sum()}


def update(mean, covariance, y, emission, observation_noise):
    """Return the state's mean and covariance given y, and the log density of y."""
    innovation = y - emission @ mean  # (M,)
    spread = emission @ covariance @ emission.T + observation_noise  # (M, M), covariance of the innovation
    gain = jnp.linalg.solve(spread, emission @ covariance).T  # (N, M)
    distance = innovation @ jnp.linalg.solve(spread, innovation)
    _, log_determinant = jnp.linalg.slogdet(spread)
    log_density = -0.5 * (distance + log_determinant + len(y) * jnp.log(2 * jnp.pi))
    return mean + gain @ innovation, covariance - gain @ emission @ covariance, log_density
