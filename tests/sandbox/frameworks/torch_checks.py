"""Checks of PyTorch's parts that meet the walls of a box: files, threads, compilers.

`test_frameworks.py` reads them as text and runs them inside boxes.
"""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
from torch import nn

X = torch.linspace(-1, 1, 64)[:, None]


def check_graphs_and_scripts() -> None:
    model = nn.Sequential(nn.Linear(1, 4), nn.Tanh()).eval()
    exported = torch.export.export(model, (X,))

    assert torch.allclose(exported.module()(X), model(X))
    assert torch.allclose(torch.fx.symbolic_trace(model)(X), model(X))
    assert torch.allclose(torch.jit.trace(model, X)(X), model(X))


def check_files() -> None:
    path = Path(tempfile.mkdtemp(), "model.pt")
    model, other = nn.Linear(64, 64), nn.Linear(64, 64)
    torch.save({"model": model.state_dict()}, path)

    other.load_state_dict(torch.load(path, weights_only=True)["model"])

    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), other.state_dict().values(), strict=True))


def check_threads_inside_an_operation_and_beside_it() -> None:
    assert torch.get_num_threads() >= 1
    big = torch.ones(1200, 1200)
    assert torch.equal(big @ big, torch.full((1200, 1200), 1200.0))
    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(lambda n: int(torch.full((100,), n).sum()), range(4))) == [0, 100, 200, 300]
    torch.set_num_threads(2)
    assert torch.get_num_threads() == 2
