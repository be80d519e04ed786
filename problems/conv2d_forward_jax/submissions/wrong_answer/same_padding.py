"""Mistake: `padding="SAME"` pads only as much as it needs, with the odd row at the end; give one pair of numbers
for rows and one for columns."""

from jax import lax


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    y = lax.conv_general_dilated(x, weight, (stride, stride), "SAME", rhs_dilation=(dilation, dilation))
    return y + bias[:, None, None]
