"""A file of KernelBench becomes a package whose inputs fit."""

from pathlib import Path

import pytest

from app.catalog.importing.imported import Imported
from app.catalog.importing.kernelbench import read_kernelbench
from app.catalog.package import Package, package_from_files

FILE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, in_channels)

    def forward(self, x):
        return self.norm(x)


batch_size = 112
channels = 64
shape = (512, 512)


def get_inputs():
    return [torch.rand(batch_size, channels, *shape)]


def get_init_inputs():
    return [channels, 8]
"""


def read(tmp_path: Path, text: str) -> tuple[Imported, Package]:
    (tmp_path / "4_GroupNorm.py").write_text(text)
    imported = read_kernelbench(tmp_path / "4_GroupNorm.py")
    return imported, package_from_files(imported.slug, {path: text.encode() for path, text in imported.files.items()})


def test_inputs_for_a_large_gpu_are_made_smaller_and_the_author_is_told(tmp_path: Path) -> None:
    imported, package = read(tmp_path, FILE)

    constants = package.manifest.cases[0].arguments
    height, width = constants["shape"]
    assert constants["batch_size"] * constants["channels"] * height * width * 4 <= 4 * 2**20
    assert any("7,168 MiB of inputs" in line and "shape (512, 512) → " in line for line in imported.left_out)
    assert any("groups and heads must still divide" in line for line in imported.todo)


def test_tuples_stay_tuples_for_the_file_s_own_functions(tmp_path: Path) -> None:
    imported, _ = read(tmp_path, FILE)

    assert "tuple(value) if isinstance(value, list) else value" in imported.files["cases.py"]


def test_small_inputs_stay_as_they_are(tmp_path: Path) -> None:
    imported, package = read(tmp_path, FILE.replace("112", "2").replace("512, 512", "8, 8"))

    assert package.manifest.cases[0].arguments == {"batch_size": 2, "channels": 64, "shape": [8, 8]}
    assert not any("large GPUs" in line for line in imported.left_out)


def test_a_constant_that_is_computed_from_numbers_is_a_size_too(tmp_path: Path) -> None:
    imported, package = read(tmp_path, FILE.replace("batch_size = 112", "batch_size = 56 * 2"))

    assert package.manifest.cases[0].arguments["batch_size"] < 112
    assert any("7,168 MiB of inputs" in line for line in imported.left_out)


@pytest.mark.parametrize(
    ("made", "known"),
    [
        ("torch.randn(batch_size * 2, channels)", True),
        ("torch.randint(0, 10, (batch_size, channels))", True),
        ("torch.rand((batch_size,) + shape)", False),
        ("torch.rand(unknown())", False),
    ],
)
def test_sizes_are_read_from_products_of_the_constants(tmp_path: Path, made: str, known: bool) -> None:
    imported, _ = read(tmp_path, FILE.replace("torch.rand(batch_size, channels, *shape)", made))

    assert any("is not known from the file" in line for line in imported.todo) is not known
