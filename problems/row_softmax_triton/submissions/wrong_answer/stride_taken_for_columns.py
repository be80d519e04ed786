"""Mistake: takes the number of columns for the distance of two rows; a view can have a larger stride."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, stride, columns, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    mask = column < columns
    source = x_ptr + tl.program_id(0) * columns + column
    row = tl.load(source, mask=mask, other=-float("inf"))
    powers = tl.exp(row - tl.max(row, axis=0))
    tl.store(out_ptr + tl.program_id(0) * columns + column, powers / tl.sum(powers, axis=0), mask=mask)


def row_softmax(x):
    rows, columns = x.shape
    out = torch.zeros(rows, columns)
    width = triton.next_power_of_2(columns)
    kernel[(rows,)](x, out, x.stride(0), columns, WIDTH=width)
    return out
