"""Mistake: uses one step too many in the bias correction; the power is the number of this step, which counts from 1 already."""

import jax
import jax.numpy as jnp


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    m = jax.tree.map(lambda old, g: beta1 * old + (1 - beta1) * g, m, grads)
    v = jax.tree.map(lambda old, g: beta2 * old + (1 - beta2) * g**2, v, grads)

    def moved(p, mean, square):
        m_hat = mean / (1 - beta1 ** (step + 1))
        v_hat = square / (1 - beta2 ** (step + 1))
        decay = weight_decay * p if p.ndim >= 2 else 0.0
        return p - lr * (m_hat / (jnp.sqrt(v_hat) + eps) + decay)

    return {"params": jax.tree.map(moved, params, m, v), "m": m, "v": v}
