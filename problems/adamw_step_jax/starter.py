import jax
import jax.numpy as jnp


def adamw_step(params, m, v, grads, step, lr, beta1, beta2, eps, weight_decay):
    """Take one step of AdamW on a tree of parameters; only leaves with two axes or more decay.

    params:       nested dict of float32 arrays, the parameters before the step
    m, v, grads:  trees like params
    step:         (), int32, the number of this step, counted from 1
    lr, beta1, beta2, eps, weight_decay: (), float32
    returns:      {"params": tree, "m": tree, "v": tree}, after the step

    The judge compiles this function with jax.jit.
    """
    raise NotImplementedError("replace this line with your solution")
