"""Mistake: computes the attention with torch, and a kernel only copies it. All arithmetic belongs into kernels."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy(from_ptr, to_ptr, size, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(to_ptr + places, tl.load(from_ptr + places, mask=places < size, other=0.0), mask=places < size)


def flash_attention(q, k, v):
    weights = torch.softmax(q @ k.transpose(1, 2) / q.shape[2] ** 0.5, dim=-1)
    answer, out = weights @ v, torch.empty_like(q)
    copy[(triton.cdiv(out.numel(), 256),)](answer, out, out.numel(), BLOCK=256)
    return out
