"""Right: flattens the trees into lists, works on plain arrays, and builds the trees again."""

import jax
import jax.numpy as jnp


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    leaves, structure = jax.tree.flatten(params)
    others = zip(leaves, jax.tree.leaves(m), jax.tree.leaves(v), jax.tree.leaves(grads), strict=True)
    new_params, new_m, new_v = [], [], []
    for p, mean, square, g in others:
        mean = mean + (1 - beta1) * (g - mean)
        square = square + (1 - beta2) * (g * g - square)
        if p.ndim > 1:
            p = p * (1 - lr * weight_decay)
        size = jnp.sqrt(square / (1 - jnp.power(beta2, step)))
        new_params.append(p - lr / (1 - jnp.power(beta1, step)) * mean / (size + eps))
        new_m.append(mean)
        new_v.append(square)
    return {
        "params": structure.unflatten(new_params),
        "m": structure.unflatten(new_m),
        "v": structure.unflatten(new_v),
    }
