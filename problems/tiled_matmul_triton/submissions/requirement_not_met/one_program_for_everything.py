"""Mistake: one program multiplies the whole matrices. Tiles are small, and the grid has a program for each."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr, out_ptr, m, k, n, down, across, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    p, q = tl.arange(0, K)[None, :], tl.arange(0, K)[:, None]
    left = tl.load(a_ptr + i * k + p, mask=(i < m) & (p < k), other=0.0)
    right = tl.load(b_ptr + q * down + j * across, mask=(q < k) & (j < n), other=0.0)
    tl.store(out_ptr + i * n + j, tl.dot(left, right, input_precision="ieee"), mask=(i < m) & (j < n))


def tiled_matmul(a, b):
    sizes = (*a.shape, b.shape[1])
    M, K, N = (max(16, triton.next_power_of_2(size)) for size in sizes)
    out = torch.empty(sizes[0], sizes[2])
    kernel[(1,)](a, b, out, *sizes, *b.stride(), M=M, K=K, N=N)
    return out
