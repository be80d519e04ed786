"""Mistake: the places beyond the last column take part in the maximum and in the sum. A mask alone does not say what
they hold; fill them with a number that changes neither."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, stride, columns, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    row = tl.load(x_ptr + tl.program_id(0) * stride + column, mask=column < columns)
    powers = tl.exp(row - tl.max(row, axis=0))
    tl.store(out_ptr + tl.program_id(0) * columns + column, powers / tl.sum(powers, axis=0), mask=column < columns)


def row_softmax(x):
    out = torch.zeros(x.shape)
    kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], WIDTH=triton.next_power_of_2(x.shape[1]))
    return out
