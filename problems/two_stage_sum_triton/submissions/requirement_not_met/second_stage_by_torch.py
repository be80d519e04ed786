"""Mistake: adds up the partial sums with torch. All additions belong into kernels."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_of_block(x_ptr, sums_ptr, size, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(sums_ptr + tl.program_id(0), tl.sum(tl.load(x_ptr + places, mask=places < size, other=0.0), axis=0))


def two_stage_sum(x, block_size):
    sums = torch.empty(triton.cdiv(len(x), block_size), dtype=torch.float32, device=x.device)
    sum_of_block[(len(sums),)](x, sums, len(x), BLOCK=block_size)
    return sums.sum()
