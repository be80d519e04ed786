"""Goes through the row in pieces, with a running maximum and sum, and then once more to write."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, stride, columns, PIECE: tl.constexpr):
    i = tl.program_id(0)
    top = -3.0e38
    total = 0.0
    for start in range(0, columns, PIECE):
        column = start + tl.arange(0, PIECE)
        values = tl.load(x_ptr + i * stride + column, mask=column < columns, other=-float("inf"))
        higher = tl.maximum(top, tl.max(values, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(values - higher), axis=0)
        top = higher
    for start in range(0, columns, PIECE):
        column = start + tl.arange(0, PIECE)
        values = tl.load(x_ptr + i * stride + column, mask=column < columns, other=0.0)
        tl.store(out_ptr + i * columns + column, tl.exp(values - top) / total, mask=column < columns)


def row_softmax(x):
    out = torch.empty(x.shape)
    kernel[(len(x),)](x, out, x.stride(0), x.shape[1], PIECE=16)
    return out
