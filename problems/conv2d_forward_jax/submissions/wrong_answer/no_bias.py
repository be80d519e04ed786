"""Mistake: leaves the bias out; JAX's convolution has none, so add it to the channels of the output."""

from jax import lax


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    sides = [(padding, padding), (padding, padding)]
    return lax.conv_general_dilated(x, weight, (stride, stride), sides, rhs_dilation=(dilation, dilation))
