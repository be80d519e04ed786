import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


def grad_accumulation_step(seed, x_batches, y_batches, lr):
    """One SGD step from the averaged gradients of two micro-batches.

    seed: int
    x_batches: (2, M, D), float32, the inputs of both micro-batches
    y_batches: (2, M), float32, their targets
    lr: float, the learning rate
    returns: (1,), float32, the mean squared error on all 2 * M examples after the step
    """
    model = nn.Dense(features=1)
    params = model.init(jax.random.key(seed), x_batches[0])["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.sgd(lr))

    # 1. Compute the gradients of the loss on each micro-batch, both at state.params.
    # 2. Average the two trees of gradients, leaf by leaf.
    # 3. Apply them in one step, and keep the new state.
    # 4. Return the loss of the new parameters on the whole batch, in shape (1,).
    raise NotImplementedError("replace this line with your solution")
