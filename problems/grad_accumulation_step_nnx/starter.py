import jax
import jax.numpy as jnp
import optax
from flax import nnx


def grad_accumulation_step(seed, x_a, y_a, x_b, y_b, lr):
    """One SGD step from the averaged gradients of two micro-batches.

    seed: int
    x_a, x_b: (M, D_IN), float32, the inputs of micro-batches A and B
    y_a, y_b: (M, D_OUT), float32, their targets
    lr: float, the learning rate
    returns: (1,), float32, the mean squared error on all 2 * M examples after the step
    """
    model = nnx.Linear(x_a.shape[-1], y_a.shape[-1], rngs=nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, optax.sgd(lr), wrt=nnx.Param)

    # 1. Write a loss that takes the model, and get its gradients on A and on B.
    # 2. Average the two trees of gradients, leaf by leaf.
    # 3. Update the model once.
    # 4. Return the loss of the updated model on the whole batch, in shape (1,).
    raise NotImplementedError("replace this line with your solution")
