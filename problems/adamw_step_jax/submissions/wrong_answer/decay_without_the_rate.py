"""Mistake: subtracts the weight decay without the learning rate; both parts of the step have the factor lr."""

import jax
import jax.numpy as jnp


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    m = jax.tree.map(lambda old, g: beta1 * old + (1 - beta1) * g, m, grads)
    v = jax.tree.map(lambda old, g: beta2 * old + (1 - beta2) * g**2, v, grads)

    def moved(p, mean, square):
        m_hat = mean / (1 - beta1**step)
        v_hat = square / (1 - beta2**step)
        decay = weight_decay * p if p.ndim >= 2 else 0.0
        return p - lr * m_hat / (jnp.sqrt(v_hat) + eps) - decay

    return {"params": jax.tree.map(moved, params, m, v), "m": m, "v": v}
