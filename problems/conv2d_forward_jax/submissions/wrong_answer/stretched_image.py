"""Mistake: `lhs_dilation` puts zeros between the pixels of the image; the taps of the filter are spread by
`rhs_dilation`."""

from jax import lax


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    sides = [(padding, padding), (padding, padding)]
    y = lax.conv_general_dilated(x, weight, (stride, stride), sides, lhs_dilation=(dilation, dilation))
    return y + bias[:, None, None]
