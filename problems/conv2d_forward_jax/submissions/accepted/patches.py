"""Gathers all windows with JAX's own function, and multiplies once by the filters."""

import jax.numpy as jnp
from jax import lax


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    f, _, k, l = weight.shape
    patches = lax.conv_general_dilated_patches(
        x, (k, l), (stride, stride), [(padding, padding)] * 2, rhs_dilation=(dilation, dilation)
    )  # (N, C · K · L, P, Q)
    return jnp.tensordot(patches, weight.reshape(f, -1), axes=(1, 1)).transpose(0, 3, 1, 2) + bias.reshape(f, 1, 1)
