"""Mistake: all programs add the first block; the places depend on the number of the program."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    mask = place < n
    left = tl.load(x_ptr + place, mask=mask)
    right = tl.load(y_ptr + place, mask=mask)
    tl.store(out_ptr + place, left + right, mask=mask)


def vector_add(x, y):
    out = torch.zeros_like(x)
    n = x.numel()
    add[(triton.cdiv(n, 8),)](x, y, out, n, BLOCK=8)
    return out
