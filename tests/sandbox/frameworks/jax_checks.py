"""Checks of JAX's parts that meet the walls of a box: files, threads, compilers.

`test_frameworks.py` reads them as text and runs them inside boxes.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

Array = Any


def check_compiled_functions() -> None:
    normalise = jax.jit(lambda x, axis: (x - x.mean(axis)) / x.std(axis), static_argnames="axis")
    x = jax.random.normal(jax.random.key(0), (64, 32))

    assert np.allclose(normalise(x, axis=0).mean(0), 0, atol=1e-6)
    compiled = jax.jit(lambda x: x @ x.T).lower(x).compile()
    assert compiled(x).shape == (64, 64)
    assert compiled.cost_analysis()


def check_linear_algebra_and_fourier() -> None:
    x = jax.random.normal(jax.random.key(0), (32, 32))
    definite = x @ x.T + 32 * jnp.eye(32)
    left, values, right = jnp.linalg.svd(x)

    assert np.allclose((left * values) @ right, x, atol=1e-3)
    assert np.allclose(jnp.linalg.solve(definite, definite), jnp.eye(32), atol=1e-3)
    assert np.allclose(jnp.linalg.eigvalsh(definite), jnp.sort(jnp.linalg.eigvals(definite).real), rtol=1e-2)
    assert np.allclose(
        jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(definite), definite), jnp.eye(32), atol=1e-3
    )
    assert np.allclose(jnp.fft.ifft(jnp.fft.fft(x)).real, x, atol=1e-5)


def check_shards_on_one_device() -> None:
    mesh = Mesh(np.array(jax.devices()[:1]), ("data",))
    spec = PartitionSpec("data")
    x = jax.device_put(jnp.arange(8.0), NamedSharding(mesh, spec))

    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=spec, out_specs=PartitionSpec())
    def total(part: Array) -> Array:
        return lax.psum(part.sum(), "data")

    assert total(x) == 28
