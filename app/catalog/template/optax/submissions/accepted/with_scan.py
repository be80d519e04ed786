import jax
import jax.numpy as jnp
import optax


def fit(w, x, y, lr, steps):
    optimizer = optax.chain(optax.trace(decay=0.9), optax.scale(-lr))

    def step(carry, _):
        w, state = carry
        updates, state = optimizer.update(jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w), state)
        return (w + updates, state), None

    (w, _), _ = jax.lax.scan(step, (w, optimizer.init(w)), length=steps)
    return w
