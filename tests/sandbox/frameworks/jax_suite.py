"""JAX's own table of operations, with which it tests itself against references in NumPy; both are in its wheel."""

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
from jax._src import lax_reference
from jax._src.internal_test_util.lax_test_util import lax_ops


def solve() -> dict[str, Any]:
    failed = []
    passed = 0
    for operation in lax_ops():
        reference = getattr(lax_reference, operation.op)
        for arguments in some_arguments(operation):
            found = np.asarray(jax.jit(getattr(jax.lax, operation.op))(*arguments))
            expected = np.asarray(reference(*arguments))
            if np.allclose(found.astype(complex), expected.astype(complex), rtol=1e-2, atol=1e-2, equal_nan=True):
                passed += 1
            else:
                failed.append(f"{operation.op} of {arguments[0].dtype}")
    return {"passed": passed, "failed": failed}


def some_arguments(operation: Any) -> Iterator[list[Any]]:
    """Yield arguments of the first dtype that the operation takes and that needs no 64 bits."""
    dtype = next((dtype for dtype in operation.dtypes if np.dtype(dtype).itemsize <= 4), None)
    if dtype is not None:
        draw = operation.rng_factory(np.random.RandomState(0))
        yield [np.asarray(draw((2, 3, 4), dtype)) for _ in range(operation.nargs)]
