"""Checks of PyTorch's parts that students use. Read as text and run inside boxes by `test_frameworks.py`."""

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


def check_optimisers_and_schedules() -> None:
    makers: dict[str, Any] = {
        "SGD": lambda p: torch.optim.SGD(p, 0.05, momentum=0.9),
        "Adam": lambda p: torch.optim.Adam(p, 1e-2),
        "AdamW": lambda p: torch.optim.AdamW(p, 1e-2, foreach=True),
        "RMSprop": lambda p: torch.optim.RMSprop(p, 1e-3),
        "Adagrad": lambda p: torch.optim.Adagrad(p, 1e-1),
    }
    for name, make in makers.items():
        model = perceptron()
        first, last = train(model, make(model.parameters()))
        assert last < first / 2, name
    optimizer = torch.optim.SGD(perceptron().parameters(), 1.0)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    for _ in range(10):
        optimizer.step()
        schedule.step()
    assert abs(schedule.get_last_lr()[0]) < 1e-9


def check_layers() -> None:
    image, sequence = torch.ones(2, 3, 8, 8), torch.ones(2, 5, 8)

    assert nn.Conv2d(3, 4, 3, padding=1)(image).shape == (2, 4, 8, 8)
    assert nn.LSTM(8, 6, batch_first=True)(sequence)[0].shape == (2, 5, 6)
    assert nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)(sequence).shape == (2, 5, 8)
    assert nn.Embedding(10, 4)(torch.tensor([1, 2])).shape == (2, 4)
    assert nn.functional.scaled_dot_product_attention(*torch.ones(3, 1, 2, 5, 4)).shape == (1, 2, 5, 4)
    assert nn.functional.interpolate(image, scale_factor=2, mode="bilinear").shape == (2, 3, 16, 16)


def check_derivatives() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, x: Any) -> Any:
            context.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(context: Any, gradient: Any) -> Any:
            return 2 * context.saved_tensors[0] * gradient

    x = torch.randn(4, dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(Square.apply, (x,))
    assert torch.autograd.functional.hessian(lambda v: (v**3).sum(), x).shape == (4, 4)
    torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum().backward()
    assert torch.allclose(x.grad, torch.cos(x))
    with torch.no_grad():
        assert not (x * 2).requires_grad


def check_functional_transforms() -> None:
    def loss(w: Any, x: Any) -> Any:
        return torch.sin(w @ x).sum()

    w, xs = torch.randn(3, 3), torch.randn(7, 3)
    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, xs)

    assert each.shape == (7, 3, 3)
    assert torch.allclose(each[0], torch.func.grad(loss)(w, xs[0]), atol=1e-6)
    assert torch.func.jacrev(torch.sin)(xs[0]).shape == (3, 3)
    model = perceptron().eval()
    parameters = dict(model.named_parameters()) | dict(model.named_buffers())
    assert torch.allclose(torch.func.functional_call(model, parameters, (X,)), model(X))


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


def check_sparse_tensors() -> None:
    dense = torch.eye(50) * 2
    for sparse in (dense.to_sparse(), dense.to_sparse_csr()):
        assert torch.allclose(sparse @ torch.ones(50, 1), 2 * torch.ones(50, 1))


def check_linear_algebra_and_fourier() -> None:
    x = torch.randn(64, 64, dtype=torch.float64)
    definite = x @ x.T + 64 * torch.eye(64)
    left, values, right = torch.linalg.svd(x)

    assert torch.allclose(left * values @ right, x)
    assert torch.allclose(definite @ torch.linalg.solve(definite, x), x)
    assert torch.allclose(torch.linalg.eigvalsh(definite), torch.linalg.svdvals(definite).flip(0))
    assert torch.allclose(torch.fft.irfft(torch.fft.rfft(x)), x)


def check_distributions() -> None:
    normal = torch.distributions.Normal(0.0, 1.0)
    mixture = torch.distributions.Categorical(logits=torch.zeros(4))

    assert normal.rsample((10_000,)).std() > 0.9
    assert torch.isclose(torch.distributions.kl_divergence(normal, normal), torch.tensor(0.0))
    assert torch.isclose(mixture.entropy(), torch.tensor(4.0).log())
    assert torch.distributions.MultivariateNormal(torch.zeros(3), torch.eye(3)).log_prob(torch.zeros(3)) < 0


def check_threads_inside_an_operation_and_beside_it() -> None:
    assert torch.get_num_threads() >= 1
    big = torch.ones(1200, 1200)
    assert torch.equal(big @ big, torch.full((1200, 1200), 1200.0))
    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(lambda n: int(torch.full((100,), n).sum()), range(4))) == [0, 100, 200, 300]
    torch.set_num_threads(2)
    assert torch.get_num_threads() == 2


def check_small_types_and_autocast() -> None:
    layer = nn.Linear(8, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert layer(torch.ones(2, 8)).dtype == torch.bfloat16
    assert torch.ones(3).to(torch.float8_e4m3fn).to(torch.float32).sum() == 3
    assert torch.from_numpy(torch.arange(3).numpy()).tolist() == [0, 1, 2]
