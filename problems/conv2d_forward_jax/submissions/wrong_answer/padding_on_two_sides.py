"""Mistake: adds all padding at the bottom and at the right; every one of the four sides gets `padding` rows or
columns."""

from jax import lax


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    sides = [(0, 2 * padding), (0, 2 * padding)]
    y = lax.conv_general_dilated(x, weight, (stride, stride), sides, rhs_dilation=(dilation, dilation))
    return y + bias[:, None, None]
