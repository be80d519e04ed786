"""Mistake: takes exponentials outside, and the kernel only divides; all arithmetic belongs into the kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def divide(powers_ptr, out_ptr, columns, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    place = tl.program_id(0) * columns + column
    row = tl.load(powers_ptr + place, mask=column < columns, other=0.0)
    tl.store(out_ptr + place, row / tl.sum(row, axis=0), mask=column < columns)


def row_softmax(x):
    powers = torch.exp(x - x.max(dim=1, keepdim=True).values)
    out = torch.empty(x.shape)
    divide[(x.shape[0],)](powers, out, x.shape[1], WIDTH=triton.next_power_of_2(x.shape[1]))
    return out
