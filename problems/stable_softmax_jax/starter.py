import jax
import jax.numpy as jnp


def stable_softmax(logits, temperature):
    """The softmax of each row of logits / temperature. Called under jax.jit, and differentiated.

    logits: (N, K), float32, -inf for masked classes
    temperature: float, above 0; traced
    returns: (N, K), float32; a row in which all classes are masked is 0, and so is its gradient
    """
    raise NotImplementedError("replace this line with your solution")
