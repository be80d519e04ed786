"""Mistake: turns the filter by 180 degrees, as the convolution of mathematics does; the layer uses it as it is."""

from jax import lax


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    sides = [(padding, padding), (padding, padding)]
    turned = weight[:, :, ::-1, ::-1]
    y = lax.conv_general_dilated(x, turned, (stride, stride), sides, rhs_dilation=(dilation, dilation))
    return y + bias[:, None, None]
