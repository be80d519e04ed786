import jax
import jax.numpy as jnp
import optax


def cross_entropy(params, x, y):  # one example
    logits = jnp.dot(x, params["kernel"]) + params["bias"]
    return -jax.nn.log_softmax(logits)[y]


def multisteps_schedule(params, x_micro, y_micro, every_k, init_lr, boundaries, scales):
    schedule = optax.piecewise_constant_schedule(init_lr, dict(zip(boundaries, scales)))
    loss = lambda p, x, y: jax.vmap(jax.vmap(cross_entropy, (None, 0, 0)), (None, 0, 0))(p, x, y).mean()

    @jax.jit
    def outer_step(params, step, x, y):
        grads = jax.grad(loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - schedule(step) * g, params, grads)

    for step in range(len(x_micro) // every_k):
        first = step * every_k
        params = outer_step(params, step, x_micro[first : first + every_k], y_micro[first : first + every_k])
    return params
