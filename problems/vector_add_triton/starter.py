import torch
import triton
import triton.language as tl

BLOCK = 8


def vector_add(x, y):
    """Add two vectors in a kernel, block by block.

    x, y: (N,), torch.float32
    returns: (N,), torch.float32
    """
    raise NotImplementedError("replace this line with your solution")
