"""A file of KernelBench becomes a package whose inputs fit."""

import re
from math import prod
from pathlib import Path
from typing import Any

from app.catalog.importing.kernelbench import read_kernelbench
from app.catalog.importing.package_writer import ImportedPackage
from app.catalog.package import package_from_files
from app.cli.problem.import_package import observe
from app.settings import Settings

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


IMAGE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        if x.shape[-1] != 256:
            raise ValueError("the image has another size")
        return x.mean(dim=(1, 2, 3))


batch_size = 64
size = 256


def get_inputs():
    return [torch.rand(batch_size, 3, size, size)]
"""


def read(tmp_path: Path, text: str) -> tuple[ImportedPackage, str]:
    """Return what the import makes, and the text of its `cases.py`."""
    (tmp_path / "4_GroupNorm.py").write_text(text)
    settings = Settings()
    imported = read_kernelbench(tmp_path / "4_GroupNorm.py", lambda probe: observe(probe, settings))
    files = {path: text.encode() for path, text in imported.files.items()}
    assert package_from_files(imported.slug, files).manifest.entry_point == "ModelNew"
    return imported, imported.files["cases.py"]


def test_inputs_for_a_large_gpu_are_made_smaller_and_the_author_is_told(tmp_path: Path) -> None:
    imported, cases = read(tmp_path, FILE)

    numbers: dict[str, Any] = {}
    exec(cases[cases.index("batch_size") : cases.index("def get_inputs")], numbers)
    assert numbers["batch_size"] * numbers["channels"] * prod(numbers["shape"]) * 4 <= 4 * 2**20
    assert any("7,168 MiB of inputs" in line and "shape (512, 512) → " in line for line in imported.left_out)
    assert imported.failure == ""


def test_sizes_that_are_equal_or_computed_from_others_shrink_with_them(tmp_path: Path) -> None:
    text = FILE.replace("shape = (512, 512)", "width = 2 * 256\nheight = width\nshape = (512, height)")

    imported, cases = read(tmp_path, text)

    width = int(re.findall(r"width = (\d+)", cases)[0])
    assert width < 512
    assert "height = width\n" in cases
    assert imported.failure == ""


def test_only_the_batch_shrinks_where_the_model_needs_the_other_sizes(tmp_path: Path) -> None:
    imported, cases = read(tmp_path, IMAGE)

    assert "size = 256\n" in cases
    assert "batch_size = 4\n" in cases
    assert imported.failure == ""


def test_a_model_that_does_not_run_is_told_with_its_error(tmp_path: Path) -> None:
    imported, _ = read(tmp_path, IMAGE.replace("!= 256", "!= 255"))

    assert imported.failure.startswith("ValueError: the image has another size; choose other sizes")


def test_small_inputs_stay_as_they_are(tmp_path: Path) -> None:
    imported, cases = read(tmp_path, FILE.replace("112", "2").replace("512, 512", "8, 8"))

    assert "batch_size = 2\nchannels = 64\nshape = (8, 8)\n" in cases
    assert not any("large GPUs" in line for line in imported.left_out)
