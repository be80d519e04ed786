# mechanism: a callback of a compiled program that writes to the judge's channel after the answer
# verdict: runtime_error
# problem: dense_layer
import os
import threading

import jax
import jax.numpy as jnp


def write(_):
    threading.Timer(0.002, lambda: os.write(3, b"A" * 64)).start()


@jax.jit
def dense_layer(x, w):
    jax.debug.callback(write, x[0, 0])
    return jnp.tanh(x @ w)
