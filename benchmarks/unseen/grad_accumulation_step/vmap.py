import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


def grad_accumulation_step(seed, x_batches, y_batches, lr):
    model = nn.Dense(1)
    state = TrainState.create(
        apply_fn=model.apply,
        params=model.init(jax.random.key(seed), x_batches[0])["params"],
        tx=optax.sgd(lr),
    )

    def example_loss(params, x, y):  # x: (D,), y: ()
        return (state.apply_fn({"params": params}, x)[0] - y) ** 2

    per_example = jax.vmap(jax.grad(example_loss), in_axes=(None, 0, 0))
    per_micro = jax.vmap(per_example, in_axes=(None, 0, 0))
    grads = jax.tree.map(lambda g: jnp.mean(g, axis=(0, 1)), per_micro(state.params, x_batches, y_batches))
    state = state.apply_gradients(grads=grads)

    losses = jax.vmap(jax.vmap(example_loss, (None, 0, 0)), (None, 0, 0))(state.params, x_batches, y_batches)
    return losses.mean().reshape((1,))
