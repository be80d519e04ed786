"""Mistake: asks in Python whether `weight_decay` is above 0, which is not known while JAX compiles: TracerBoolConversionError."""

import jax
import jax.numpy as jnp


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    m = jax.tree.map(lambda old, g: beta1 * old + (1 - beta1) * g, m, grads)
    v = jax.tree.map(lambda old, g: beta2 * old + (1 - beta2) * g**2, v, grads)

    def moved(p, mean, square):
        if weight_decay > 0 and p.ndim >= 2:
            p = p * (1 - lr * weight_decay)
        return p - lr * (mean / (1 - beta1**step)) / (jnp.sqrt(square / (1 - beta2**step)) + eps)

    return {"params": jax.tree.map(moved, params, m, v), "m": m, "v": v}
