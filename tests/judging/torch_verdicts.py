"""Runs with the Python that boxes have: what `torch.testing.assert_close` says of the generated cases."""

import sys
from pathlib import Path
from typing import Any

import torch

from sandbox.guest.codec import Caps, decode, encode
from sandbox.guest.convert import restore

MANY = Caps(nodes=10_000_000)


def is_close(case: dict[str, Any]) -> bool:
    try:
        torch.testing.assert_close(
            case["answer"], case["expected"], rtol=case["rtol"], atol=case["atol"], equal_nan=True, check_dtype=True
        )
    except AssertionError:
        return False
    return True


def main(folder: Path) -> None:
    cases: Any = restore(decode((folder / "cases").read_bytes(), MANY), "torch")
    (folder / "verdicts").write_bytes(encode([is_close(case) for case in cases], MANY))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
