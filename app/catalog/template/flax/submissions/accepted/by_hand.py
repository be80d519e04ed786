import jax.numpy as jnp


def two_layers(params, x):
    hidden, output = params["hidden"], params["output"]
    return jnp.maximum(x @ hidden["kernel"] + hidden["bias"], 0) @ output["kernel"] + output["bias"]
