"""A program for each block of keys stores its own state, and a second kernel merges the states of each query."""

import torch
import triton
import triton.language as tl

B = 16


@triton.jit
def part_of_keys(q_ptr, k_ptr, v_ptr, peak_ptr, total_ptr, sum_ptr, t, s, parts, D: tl.constexpr, B: tl.constexpr):
    head, part = tl.program_id(0), tl.program_id(2)
    row, key, d = tl.program_id(1) * B + tl.arange(0, B), part * B + tl.arange(0, B), tl.arange(0, D)
    is_row, is_key = row < t, key < s
    q = tl.load(q_ptr + (head * t + row)[:, None] * D + d[None, :], mask=is_row[:, None], other=0.0)
    kv = (head * s + key)[:, None] * D + d[None, :]
    k = tl.load(k_ptr + kv, mask=is_key[:, None], other=0.0)
    v = tl.load(v_ptr + kv, mask=is_key[:, None], other=0.0)
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") / tl.sqrt(D * 1.0)
    peak = tl.max(tl.where(is_key[None, :], scores, -1e30), axis=1)
    powers = tl.where(is_key[None, :], tl.exp(scores - peak[:, None]), 0.0)
    state = (head * t + row) * parts + part
    tl.store(peak_ptr + state, peak, mask=is_row)
    tl.store(total_ptr + state, tl.sum(powers, axis=1), mask=is_row)
    weighted = tl.dot(powers, v, input_precision="ieee")
    tl.store(sum_ptr + state[:, None] * D + d[None, :], weighted, mask=is_row[:, None])


@triton.jit
def merge(peak_ptr, total_ptr, sum_ptr, out_ptr, rows, parts, PARTS: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    row, part, d = tl.program_id(0) * B + tl.arange(0, B), tl.arange(0, PARTS), tl.arange(0, D)
    state = row[:, None] * parts + part[None, :]
    exists = (row < rows)[:, None] & (part < parts)[None, :]
    peaks = tl.load(peak_ptr + state, mask=exists, other=-1e30)
    share = tl.exp(peaks - tl.max(peaks, axis=1)[:, None])
    total = tl.sum(share * tl.load(total_ptr + state, mask=exists, other=1.0), axis=1)
    sums = tl.load(sum_ptr + state[:, :, None] * D + d[None, None, :], mask=exists[:, :, None], other=0.0)
    mean = tl.sum(share[:, :, None] * sums, axis=1) / total[:, None]
    tl.store(out_ptr + row[:, None] * D + d[None, :], mean, mask=(row < rows)[:, None])


def flash_attention(q, k, v):
    heads, t, d = q.shape
    s = k.shape[1]
    parts = triton.cdiv(s, B)
    peak, total = q.new_empty(heads, t, parts), q.new_empty(heads, t, parts)
    sums, out = q.new_empty(heads, t, parts, d), torch.empty_like(q)
    part_of_keys[(heads, triton.cdiv(t, B), parts)](q, k, v, peak, total, sums, t, s, parts, D=d, B=B)
    rows, width = heads * t, triton.next_power_of_2(parts)
    merge[(triton.cdiv(rows, B),)](peak, total, sums, out, rows, parts, PARTS=width, D=d, B=B)
    return out
