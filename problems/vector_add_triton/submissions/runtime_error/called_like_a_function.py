"""Mistake: calls the kernel like a function; a kernel is started on a grid, which stands in square brackets."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = place < n
    tl.store(out_ptr + place, tl.load(x_ptr + place, mask=mask) + tl.load(y_ptr + place, mask=mask), mask=mask)


def vector_add(x, y):
    out = torch.empty_like(x)
    add(x, y, out, x.numel(), BLOCK=8)
    return out
