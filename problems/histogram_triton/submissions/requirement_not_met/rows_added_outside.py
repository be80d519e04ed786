"""Mistake: adds up the counts of the programs outside of a kernel. All counting and adding belongs into kernels."""

import torch
import triton
import triton.language as tl


@triton.jit
def count_rows(x_ptr, rows_ptr, size, BINS: tl.constexpr, BLOCK: tl.constexpr):
    program, own = tl.program_id(0), tl.arange(0, BINS)
    places = program * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x_ptr + places, mask=places < size, other=0)
    hits = tl.minimum(tl.maximum(values, 0), BINS - 1)[:, None] == own[None, :]
    counts = tl.sum((hits & (places < size)[:, None]).to(tl.int32), axis=0)
    tl.store(rows_ptr + program * BINS + own, counts)


def histogram(x, bins, block_size):
    programs = triton.cdiv(len(x), block_size)
    rows = torch.empty((programs, bins), dtype=torch.int32, device=x.device)
    count_rows[(programs,)](x, rows, len(x), BINS=bins, BLOCK=block_size)
    return rows.sum(dim=0, dtype=torch.int32)
