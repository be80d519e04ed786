"""A custom rule for the equilibrium; the loop stops by itself."""

import jax
import jax.numpy as jnp


def iterate(step, start):
    def is_moving(state):
        count, old, new = state
        return (count < 1000) & (jnp.max(jnp.abs(new - old)) > 1e-7)

    return jax.lax.while_loop(is_moving, lambda s: (s[0] + 1, s[2], step(s[2])), (0, start, step(start)))[2]


@jax.custom_vjp
def equilibrium(a, x):
    return iterate(lambda z: jnp.tanh(a @ z + x), jnp.zeros_like(x))


def forward(a, x):
    z = equilibrium(a, x)
    return z, (a, z)


def backward(residuals, upstream):
    a, z = residuals
    slopes = 1 - z * z
    u = iterate(lambda u: upstream + (slopes * u) @ a, upstream)
    return jnp.outer(slopes * u, z), slopes * u


equilibrium.defvjp(forward, backward)


def equilibrium_gradients(a, x, c):
    z, pull = jax.vjp(equilibrium, a, x)
    grad_a, grad_x = pull(c)
    return {"z": z, "a": grad_a, "x": grad_x}
