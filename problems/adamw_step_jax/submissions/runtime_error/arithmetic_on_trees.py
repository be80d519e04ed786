"""Mistake: multiplies dictionaries as if they were arrays: TypeError. Use jax.tree.map."""

import jax.numpy as jnp


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    m = beta1 * m + (1 - beta1) * grads
    v = beta2 * v + (1 - beta2) * grads**2
    m_hat = m / (1 - beta1**step)
    v_hat = v / (1 - beta2**step)
    params = params - lr * (m_hat / (jnp.sqrt(v_hat) + eps) + weight_decay * params)
    return {"params": params, "m": m, "v": v}
