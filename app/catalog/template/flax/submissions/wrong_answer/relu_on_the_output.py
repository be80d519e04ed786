"""Mistake: applies ReLU to the output too, which may be negative."""

import jax


def two_layers(params, x):
    for layer in (params["hidden"], params["output"]):
        x = jax.nn.relu(x @ layer["kernel"] + layer["bias"])
    return x
