"""Mistake: returns the corrected averages, and the next step starts from them; they serve one step only."""

import jax
import jax.numpy as jnp


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    m_hat = jax.tree.map(lambda old, g: (beta1 * old + (1 - beta1) * g) / (1 - beta1**step), m, grads)
    v_hat = jax.tree.map(lambda old, g: (beta2 * old + (1 - beta2) * g**2) / (1 - beta2**step), v, grads)

    def moved(p, mean, square):
        decay = weight_decay * p if p.ndim >= 2 else 0.0
        return p - lr * (mean / (jnp.sqrt(square) + eps) + decay)

    return {"params": jax.tree.map(moved, params, m_hat, v_hat), "m": m_hat, "v": v_hat}
