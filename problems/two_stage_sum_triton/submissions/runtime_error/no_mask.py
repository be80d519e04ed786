"""Mistake: loads what lies beyond the tensor in the last block. Those places are undefined and must count as 0."""

import torch
import triton
import triton.language as tl


def two_stage_sum(x, block_size):
    """x: (N,); returns the sum as a tensor of shape ()."""
    partial = sums_of_blocks(x, block_size)
    total = sums_of_blocks(partial, triton.next_power_of_2(len(partial)))
    return total[0]


def sums_of_blocks(x, block_size):
    """x: (N,); returns the sum of each block, as many as there are programs."""
    programs = triton.cdiv(len(x), block_size)
    sums = torch.empty(programs, dtype=torch.float32, device=x.device)
    sum_of_block[(programs,)](x, sums, len(x), BLOCK=block_size)
    return sums


@triton.jit
def sum_of_block(x_ptr, sums_ptr, size, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    places = program * BLOCK + tl.arange(0, BLOCK)
    numbers = tl.load(x_ptr + places)
    tl.store(sums_ptr + program, tl.sum(numbers, axis=0))
