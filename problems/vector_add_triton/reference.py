"""One program for each block of eight numbers; addresses beyond the end are neither read nor written."""

import torch
import triton
import triton.language as tl

BLOCK = 8


@triton.jit
def add_block(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    exists = place < n
    left = tl.load(x_ptr + place, mask=exists)
    right = tl.load(y_ptr + place, mask=exists)
    tl.store(out_ptr + place, left + right, mask=exists)


def vector_add(x, y):
    """x, y: (N,); returns (N,)."""
    out = torch.empty_like(x)
    add_block[(triton.cdiv(x.numel(), BLOCK),)](x, y, out, x.numel(), BLOCK=BLOCK)
    return out
