"""Four programs share the vectors like cards: program p takes the places p, p + 4, p + 8 and so on, in a loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    for start in range(0, n, PROGRAMS * BLOCK):
        place = start + tl.arange(0, BLOCK) * PROGRAMS + tl.program_id(0)
        total = tl.load(x_ptr + place, place < n, other=0.0) + tl.load(y_ptr + place, place < n, other=0.0)
        tl.store(out_ptr + place, total, place < n)


def vector_add(x, y):
    out = torch.zeros(len(x))
    add[(4,)](x, y, out, len(x), PROGRAMS=4, BLOCK=16)
    return out
