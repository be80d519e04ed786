import jax
import jax.numpy as jnp
import optax
from flax import nnx


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    graphdef, state = nnx.split(model)
    tx = optax.sgd(lr)
    opt_state = tx.init(state)

    def objective(state, batches):
        module = nnx.merge(graphdef, state)
        losses = [jnp.mean((module(x) - y) ** 2) for x, y in batches]
        return sum(losses) / len(losses)

    batches = ((x_a, y_a), (x_b, y_b))
    grads = jax.grad(objective)(state, batches)  # the gradient of the mean is the mean of the gradients
    updates, opt_state = tx.update(grads, opt_state)
    state = jax.tree.map(lambda p, u: p + u, state, updates)
    return jnp.array([objective(state, batches)])
