"""Right: ravels every tree into one vector; a vector of zeros and ones says what decays."""

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    theta, back = ravel_pytree(params)
    first, second, g = (ravel_pytree(tree)[0] for tree in (m, v, grads))
    decays, _ = ravel_pytree(jax.tree.map(lambda p: jnp.full(p.shape, float(p.ndim >= 2)), params))
    first = beta1 * first + (1 - beta1) * g
    second = beta2 * second + (1 - beta2) * jnp.square(g)
    t = step.astype(jnp.float32)
    root = jnp.sqrt(second / -jnp.expm1(t * jnp.log(beta2)))
    theta = theta - lr * first / -jnp.expm1(t * jnp.log(beta1)) / (root + eps) - lr * weight_decay * decays * theta
    return {"params": back(theta), "m": back(first), "v": back(second)}
