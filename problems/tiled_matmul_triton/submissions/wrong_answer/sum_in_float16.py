"""Mistake: adds up in float16, which keeps three digits; the total belongs in float32."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr, out_ptr, m, k, n, down, across, TILE: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, k, TILE):
        p = start + tl.arange(0, TILE)[None, :]
        q = start + tl.arange(0, TILE)[:, None]
        left = tl.load(a_ptr + i * k + p, mask=(i < m) & (p < k), other=0.0).to(tl.float16)
        right = tl.load(b_ptr + q * down + j * across, mask=(q < k) & (j < n), other=0.0).to(tl.float16)
        total = (total.to(tl.float16) + tl.dot(left, right).to(tl.float16)).to(tl.float32)
    tl.store(out_ptr + i * n + j, total, mask=(i < m) & (j < n))


def tiled_matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    out = torch.zeros(m, n)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    kernel[grid](a, b, out, m, k, n, *b.stride(), TILE=16)
    return out
