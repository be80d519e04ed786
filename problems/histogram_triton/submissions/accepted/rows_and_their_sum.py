"""A row of counts for each program, and a second kernel that adds up the rows: no atomics."""

import torch
import triton
import triton.language as tl


@triton.jit
def count_rows(x_ptr, rows_ptr, n, BINS: tl.constexpr, SIZE: tl.constexpr):
    row = tl.program_id(0)
    place = row * SIZE + tl.arange(0, SIZE)
    value = tl.load(x_ptr + place, mask=place < n, other=0)
    own = tl.arange(0, BINS)
    hits = tl.minimum(tl.maximum(value, 0), BINS - 1)[:, None] == own[None, :]
    counts = tl.sum((hits & (place < n)[:, None]).to(tl.int32), axis=0)
    tl.store(rows_ptr + row * BINS + own, counts)


@triton.jit
def add_rows(rows_ptr, out_ptr, rows, BINS: tl.constexpr, ROWS: tl.constexpr):
    row, own = tl.arange(0, ROWS)[:, None], tl.arange(0, BINS)[None, :]
    table = tl.load(rows_ptr + row * BINS + own, mask=row < rows, other=0)
    tl.store(out_ptr + tl.arange(0, BINS), tl.sum(table, axis=0))


def histogram(x, bins, block_size):
    programs = triton.cdiv(x.shape[0], block_size)
    rows, out = x.new_empty(programs, bins), x.new_empty(bins)
    count_rows[(programs,)](x, rows, x.shape[0], BINS=bins, SIZE=block_size)
    add_rows[(1,)](rows, out, programs, BINS=bins, ROWS=triton.next_power_of_2(programs))
    return out
