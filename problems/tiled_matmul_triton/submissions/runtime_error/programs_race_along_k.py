"""Mistake: gives the steps along K to programs of their own, which all add to the same tile. On a GPU they run at the
same time and overwrite each other's sums; one program must add up a tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr, out_ptr, m, k, n, down, across, TILE: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    p = tl.program_id(2) * TILE + tl.arange(0, TILE)[None, :]
    q = tl.program_id(2) * TILE + tl.arange(0, TILE)[:, None]
    left = tl.load(a_ptr + i * k + p, mask=(i < m) & (p < k), other=0.0)
    right = tl.load(b_ptr + q * down + j * across, mask=(q < k) & (j < n), other=0.0)
    mask = (i < m) & (j < n)
    before = tl.load(out_ptr + i * n + j, mask=mask, other=0.0)
    tl.store(out_ptr + i * n + j, before + tl.dot(left, right, input_precision="ieee"), mask=mask)


def tiled_matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    out = torch.zeros(m, n)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16), triton.cdiv(k, 16))
    kernel[grid](a, b, out, m, k, n, *b.stride(), TILE=16)
    return out
