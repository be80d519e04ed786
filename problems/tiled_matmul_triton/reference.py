"""One program for each tile of the product; it walks along the shared axis and adds up in float32."""

import torch
import triton
import triton.language as tl

TILE = 16


@triton.jit
def multiply_tile(a_ptr, b_ptr, out_ptr, rows, inner, columns, a_down, a_across, b_down, b_across, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, inner, TILE):
        step = start + tl.arange(0, TILE)
        left_at = a_ptr + row * a_down + step[None, :] * a_across
        right_at = b_ptr + step[:, None] * b_down + column * b_across
        left = tl.load(left_at, mask=(row < rows) & (step[None, :] < inner), other=0.0)
        right = tl.load(right_at, mask=(step[:, None] < inner) & (column < columns), other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(out_ptr + row * columns + column, total, mask=(row < rows) & (column < columns))


def tiled_matmul(a, b):
    """a: (M, K), b: (K, N); returns (M, N)."""
    (rows, inner), columns = a.shape, b.shape[1]
    out = torch.empty(rows, columns)
    grid = (triton.cdiv(rows, TILE), triton.cdiv(columns, TILE))
    multiply_tile[grid](a, b, out, rows, inner, columns, *a.stride(), *b.stride(), TILE=TILE)
    return out
