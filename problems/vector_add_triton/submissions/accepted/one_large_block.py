"""A single program, whose block is the next power of two."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(first, second, result, count, WIDTH: tl.constexpr):
    index = tl.arange(0, WIDTH)
    mask = index < count
    a = tl.load(first + index, mask=mask, other=0)
    b = tl.load(second + index, mask=mask, other=0)
    tl.store(result + index, a + b, mask=mask)


def vector_add(x, y):
    result = torch.empty(x.shape, dtype=x.dtype)
    kernel[(1,)](x, y, result, x.shape[0], WIDTH=triton.next_power_of_2(x.shape[0]))
    return result
