"""Writes the answers of every way: {framework: {way: {name: array}}}. The plain call runs first; ways persist."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from app.verification import batch_in_box
from sandbox.guest.codec import Tree, encode
from sandbox.guest.convert import plain

WAYS = Path(batch_in_box.__file__).parent / "ways"
RANDOM = np.random.default_rng(0)
INPUTS = {
    "a": RANDOM.normal(size=(40, 300)).astype(np.float32),
    "b": RANDOM.normal(size=(300, 20)).astype(np.float32),
    "n": np.arange(6),
}


def in_numpy(a: Any, b: Any, n: Any) -> dict[str, object]:
    return {"sum": a.sum(1), "mean": np.mean(a, axis=0), "product": a @ b, "ints": n.sum(), "dtype": str(a.dtype)}


def in_jax(a: Any, b: Any, n: Any) -> dict[str, object]:
    def loss(a: Any) -> Any:
        return jax.lax.scan(lambda total, row: (total + jnp.sum(jnp.tanh(row @ b)), None), 0.0 * a[0, 0], a)[0]

    gradient = jax.grad(loss)(a)
    return {"sum": a.sum(1), "product": a @ b, "gradient": gradient, "ints": n.sum(), "dtype": str(a.dtype)}


def in_torch(a: Any, b: Any, n: Any) -> dict[str, object]:
    a = a.clone().requires_grad_()
    torch.tanh(a @ b).sum().backward()
    dtype = str(a.dtype).removeprefix("torch.")
    return {"sum": a.sum(1), "product": a @ b, "gradient": a.grad, "ints": n.sum(), "dtype": dtype}


def go(solve: Callable[..., object], inputs: dict[str, Any], *ways: str) -> dict[str, Tree]:
    done = {"plain": plain(batch_in_box.call(solve, inputs))}
    for way in ways:
        jax.clear_caches()
        call = batch_in_box.load_way((WAYS / f"{way}.py").read_text())
        done[way] = plain(call(batch_in_box.call, solve, inputs))
    return done


computed = {
    "numpy": go(in_numpy, INPUTS, "shuffled_numpy"),
    "torch": go(
        in_torch, {key: torch.from_numpy(value) for key, value in INPUTS.items()}, "shuffled_torch", "one_thread"
    ),
    "jax": go(
        in_jax,
        {key: jnp.asarray(value) for key, value in INPUTS.items()},
        "without_jit",
        "shuffled_jax",
        "float64",
    ),
}
(Path(sys.argv[1]) / "computed").write_bytes(encode(computed))
