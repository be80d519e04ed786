"""Mistake: leaves the bias of the hidden layer out."""

import jax


def two_layers(params, x):
    hidden = jax.nn.relu(x @ params["hidden"]["kernel"])
    return hidden @ params["output"]["kernel"] + params["output"]["bias"]
