import jax
import jax.numpy as jnp


def elbo_and_gradients(mu, log_sigma, noise, x, y, prior_scale):
    """The evidence lower bound of logistic regression, and its gradients.

    mu:          (D,) float32
    log_sigma:   (D,) float32
    noise:       (S, D) float32, standard normal
    x:           (N, D) float32
    y:           (N,) int32, 0 or 1
    prior_scale: float, above 0

    Returns {"elbo": (), "mu_grad": (D,), "log_sigma_grad": (D,)}, float32.
    """
    raise NotImplementedError("replace this line with your solution")
