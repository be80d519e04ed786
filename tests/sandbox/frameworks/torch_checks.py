"""Checks of PyTorch's parts that meet the walls of a box: files, threads, compilers, callbacks.

`test_frameworks.py` reads them as text and runs them inside boxes.
"""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

X = torch.linspace(-1, 1, 64)[:, None]
Y = X**2


def perceptron() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(1, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.05), nn.Linear(32, 1))


def train(model: Any, optimizer: Any, steps: int = 60) -> tuple[float, float]:
    """The first loss and the last."""
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(X), Y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[0], losses[-1]


def check_a_loader_without_workers() -> None:
    loader = DataLoader(TensorDataset(X, Y), batch_size=10, shuffle=True, num_workers=0)

    assert sum(len(batch) for batch, _ in loader) == 64


def check_compiled_models_by_the_backends_without_a_compiler() -> None:
    for backend in ("eager", "aot_eager"):
        torch._dynamo.reset()
        model = perceptron()
        compiled = torch.compile(model, backend=backend)
        first, last = train(compiled, torch.optim.Adam(model.parameters(), 1e-2), steps=20)
        assert last < first, backend


def check_graphs_and_scripts() -> None:
    model = nn.Sequential(nn.Linear(1, 4), nn.Tanh()).eval()
    exported = torch.export.export(model, (X,))

    assert torch.allclose(exported.module()(X), model(X))
    assert torch.allclose(torch.fx.symbolic_trace(model)(X), model(X))
    assert torch.allclose(torch.jit.trace(model, X)(X), model(X))


def check_files() -> None:
    path = Path(tempfile.mkdtemp(), "model.pt")
    model, other = perceptron(), perceptron()
    train(model, torch.optim.SGD(model.parameters(), 0.1), steps=3)
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
