"""A grid with one axis, and blocks of pointers that move along K."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, c, M, K, N, s0, s1, across, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) // across * BM + tl.arange(0, BM)
    j = tl.program_id(0) % across * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_at = a + i[:, None] * K + k[None, :]
    b_at = b + k[:, None] * s0 + j[None, :] * s1
    total = tl.zeros((BM, BN), tl.float32)
    for left in range(K, 0, -BK):
        x = tl.load(a_at, mask=(i[:, None] < M) & (k[None, :] < left), other=0.0)
        y = tl.load(b_at, mask=(k[:, None] < left) & (j[None, :] < N), other=0.0)
        total += tl.dot(x, y, input_precision="ieee")
        a_at += BK
        b_at += BK * s0
    tl.store(c + i[:, None] * N + j[None, :], total, mask=(i[:, None] < M) & (j[None, :] < N))


def tiled_matmul(a, b):
    c = torch.empty((a.shape[0], b.shape[1]), dtype=torch.float32)
    across = triton.cdiv(b.shape[1], 16)
    grid = (triton.cdiv(a.shape[0], 16) * across,)
    kernel[grid](a, b, c, *a.shape, b.shape[1], *b.stride(), across, BM=16, BN=16, BK=32)
    return c
