"""Mistake: uses tanh where the problem asks for ReLU."""

import jax.numpy as jnp


def two_layers(params, x):
    hidden = jnp.tanh(x @ params["hidden"]["kernel"] + params["hidden"]["bias"])
    return hidden @ params["output"]["kernel"] + params["output"]["bias"]
