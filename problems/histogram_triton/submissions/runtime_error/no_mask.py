"""Mistake: loads what lies beyond the tensor in the last block. Mask those places."""

import torch
import triton
import triton.language as tl


def histogram(x, bins, block_size):
    """x: (N,), whole numbers; returns the counts, (bins,)."""
    counts = torch.zeros(bins, dtype=torch.int32, device=x.device)
    count_block[(triton.cdiv(len(x), block_size),)](x, counts, len(x), bins, BLOCK=block_size)
    return counts


@triton.jit
def count_block(x_ptr, counts_ptr, size, bins, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    is_inside = places < size
    values = tl.load(x_ptr + places)
    bin_of_value = tl.minimum(tl.maximum(values, 0), bins - 1)
    tl.atomic_add(counts_ptr + bin_of_value, 1, mask=is_inside)
