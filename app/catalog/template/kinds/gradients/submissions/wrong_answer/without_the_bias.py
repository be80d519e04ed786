"""Mistake: leaves the bias out."""

import jax


def logistic_loss(w, b, x, y):
    return jax.nn.softplus(-y * (x @ w)) + 0 * b
