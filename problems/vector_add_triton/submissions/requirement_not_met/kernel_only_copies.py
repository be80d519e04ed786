"""Mistake: adds outside, and the kernel only copies the sums; the addition belongs into the kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + place, tl.load(x_ptr + place, mask=place < n), mask=place < n)


def vector_add(x, y):
    out = torch.empty_like(x)
    copy[(triton.cdiv(x.numel(), 8),)](x + y, out, x.numel(), BLOCK=8)
    return out
