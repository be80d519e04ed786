"""PyTorch's own table of operations (`torch.testing`), with its samples and its references in NumPy."""

import sys
import types
import unittest
from typing import Any

import torch

# All that torch's test utilities want of it when they are imported.
sys.modules["expecttest"] = types.ModuleType("expecttest")
vars(sys.modules["expecttest"]).update(TestCase=unittest.TestCase)

SAMPLES = 4
# Two that answer with pairs or ask for an argument that NumPy lacks, and those for GPUs.
LEFT_OUT = ("frexp", "logit", "jiterator")


def solve() -> dict[str, Any]:
    from torch.testing._internal import common_methods_invocations as table

    failed = []
    passed = 0
    for operation in (*table.unary_ufuncs, *table.binary_ufuncs):
        if operation.ref is None or torch.float32 not in operation.dtypes or is_left_out(operation.name):
            continue
        try:
            for sample in list(operation.sample_inputs("cpu", torch.float32))[:SAMPLES]:
                compare(operation, sample)
            passed += 1
        except Exception as error:
            failed.append(f"{operation.name}: {error}"[:1000])
    return {"passed": passed, "failed": failed}


def is_left_out(name: str) -> bool:
    return any(word in name for word in LEFT_OUT)


def compare(operation: Any, sample: Any) -> None:
    found = operation(sample.input, *sample.args, **sample.kwargs)
    given = sample.numpy()
    expected = operation.ref(given.input, *given.args, **given.kwargs)
    torch.testing.assert_close(
        found, torch.as_tensor(expected), check_dtype=False, equal_nan=True, rtol=1e-3, atol=1e-3
    )
