"""A file of KernelBench becomes a package whose inputs fit."""

from pathlib import Path

import pytest

from app.catalog.importing.kernelbench import read_kernelbench
from app.catalog.importing.observation import Observe, Probe, Seen, failed
from app.catalog.importing.package_writer import Imported
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


RAN = Seen(arguments={}, answer={"type": "none"})


def run_always(probe: Probe) -> dict[str, Seen]:
    return dict.fromkeys(probe.makers, RAN)


def read(tmp_path: Path, text: str, observe: Observe = run_always) -> tuple[Imported, Package]:
    (tmp_path / "4_GroupNorm.py").write_text(text)
    imported = read_kernelbench(tmp_path / "4_GroupNorm.py", observe)
    return imported, package_from_files(imported.slug, {path: text.encode() for path, text in imported.files.items()})


def test_inputs_for_a_large_gpu_are_made_smaller_and_the_author_is_told(tmp_path: Path) -> None:
    imported, package = read(tmp_path, FILE)

    constants = package.manifest.cases[0].arguments
    height, width = constants["shape"]
    assert constants["batch_size"] * constants["channels"] * height * width * 4 <= 4 * 2**20
    assert any("7,168 MiB of inputs" in line and "shape (512, 512) → " in line for line in imported.left_out)
    assert imported.failure == ""


def test_equal_sizes_shrink_together(tmp_path: Path) -> None:
    text = FILE.replace("return [channels, 8]", "return [width, 8]").replace("shape =", "width = 512\nshape =")

    _, package = read(tmp_path, text)

    constants = package.manifest.cases[0].arguments
    assert constants["width"] == constants["shape"][0] < 512


def test_a_size_that_is_computed_from_others_is_computed_again(tmp_path: Path) -> None:
    text = FILE.replace("shape = (512, 512)", "height = 512\nwidth = 2 * height\nshape = (height, width)")

    imported, package = read(tmp_path, text)

    assert package.manifest.cases[0].arguments.keys() == {"batch_size", "channels", "height"}
    assert (
        "    globals()['width'] = 2 * height\n    globals()['shape'] = (height, width)\n" in imported.files["cases.py"]
    )
    assert any("width 1024 → " in line for line in imported.left_out)


def test_a_size_that_the_model_needs_as_it_is_stays(tmp_path: Path) -> None:
    def run_with_512(probe: Probe) -> dict[str, Seen]:
        ((program, _),) = probe.makers.values()
        return {"first": RAN if "'size': 512" in program else failed("ValueError: the image has another size")}

    text = FILE.replace("shape = (512, 512)", "size = 512").replace("*shape", "size, size").replace("112", "16")

    imported, package = read(tmp_path, text.replace("channels = 64", "channels = 3"), run_with_512)

    assert package.manifest.cases[0].arguments == {"batch_size": 4, "channels": 3, "size": 512}
    assert imported.failure == ""


def test_a_model_that_does_not_run_is_told_with_its_error(tmp_path: Path) -> None:
    def never(probe: Probe) -> dict[str, Seen]:
        return dict.fromkeys(probe.makers, failed("RuntimeError: size mismatch"))

    imported, _ = read(tmp_path, FILE, never)

    assert imported.failure.startswith("RuntimeError: size mismatch; choose other sizes")


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
