"""Counts within the block by tl.histogram, and adds these counts atomically, one addition for each bin."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_counts(x_ptr, out_ptr, n, BINS: tl.constexpr, SIZE: tl.constexpr):
    offsets = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    values = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    clipped = tl.minimum(tl.maximum(values, 0), BINS - 1)
    counts = tl.histogram(clipped, BINS)
    bins = tl.arange(0, BINS)
    missing = SIZE - tl.sum((offsets < n).to(tl.int32), axis=0)
    tl.atomic_add(out_ptr + bins, counts - tl.where(bins == 0, missing, 0))


def histogram(x, bins, block_size):
    out = x.new_zeros(bins)
    grid = (triton.cdiv(x.numel(), block_size),)
    add_counts[grid](x, out, x.numel(), BINS=bins, SIZE=block_size)
    return out
