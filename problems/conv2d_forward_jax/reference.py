"""Convolution in two dimensions by JAX's general convolution."""

from jax import lax


def conv2d_forward(x, weight, bias, stride, padding, dilation):
    """x: (N, C, H, W), weight: (F, C, K, L), bias: (F,); returns (N, F, P, Q)."""
    y = lax.conv_general_dilated(
        x,
        weight,
        window_strides=(stride, stride),
        padding=((padding, padding), (padding, padding)),
        rhs_dilation=(dilation, dilation),
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
    )
    return y + bias[:, None, None]
