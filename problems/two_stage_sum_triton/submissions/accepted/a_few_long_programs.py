"""Four programs, each of which goes through every fourth block with a loop; the second stage adds up four numbers."""

import torch
import triton
import triton.language as tl

PROGRAMS = 4


@triton.jit
def every_fourth_block(x_ptr, out_ptr, size, steps, BLOCK: tl.constexpr, STRIDE: tl.constexpr):
    sums = tl.zeros((BLOCK,), tl.float32)
    for step in range(steps):
        offsets = (step * STRIDE + tl.program_id(0)) * BLOCK + tl.arange(0, BLOCK)
        sums += tl.load(x_ptr + offsets, mask=offsets < size, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(sums))


@triton.jit
def add_up(partial_ptr, out_ptr, COUNT: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, COUNT))))


def two_stage_sum(x, block_size):
    steps = triton.cdiv(triton.cdiv(x.numel(), block_size), PROGRAMS)
    partial, total = x.new_zeros(PROGRAMS), x.new_zeros(())
    every_fourth_block[(PROGRAMS,)](x, partial, x.numel(), steps, BLOCK=block_size, STRIDE=PROGRAMS)
    add_up[(1,)](partial, total, COUNT=PROGRAMS)
    return total
