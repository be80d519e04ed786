"""Checks of JAX's parts that students use. Read as text and run inside boxes by `test_frameworks.py`."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import checkify
from jax.sharding import Mesh, NamedSharding, PartitionSpec

Array = Any


def check_compiled_functions() -> None:
    normalise = jax.jit(lambda x, axis: (x - x.mean(axis)) / x.std(axis), static_argnames="axis")
    x = jax.random.normal(jax.random.key(0), (64, 32))

    assert np.allclose(normalise(x, axis=0).mean(0), 0, atol=1e-6)
    compiled = jax.jit(lambda x: x @ x.T).lower(x).compile()
    assert compiled(x).shape == (64, 64)
    assert compiled.cost_analysis()


def check_derivatives() -> None:
    def loss(w: Array) -> Array:
        return jnp.sum(jnp.tanh(w) ** 2)

    w = jnp.linspace(-1, 1, 5)
    tangent = jax.jvp(loss, (w,), (jnp.ones(5),))[1]

    assert np.allclose(jax.grad(loss)(w).sum(), tangent, atol=1e-6)
    assert jax.hessian(loss)(w).shape == (5, 5)
    assert np.allclose(jax.jacfwd(jnp.sin)(w), jax.jacrev(jnp.sin)(w), atol=1e-6)
    assert np.allclose(jax.grad(jax.checkpoint(loss))(w), jax.grad(loss)(w))


def check_own_derivatives() -> None:
    @jax.custom_vjp
    def clipped(x: Array) -> Array:
        return x

    clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -1, 1),))

    assert jax.grad(lambda x: 5 * clipped(x))(2.0) == 1


def check_batches() -> None:
    x = jnp.arange(12.0).reshape(3, 4)

    assert np.allclose(jax.vmap(jnp.dot)(x, x), (x * x).sum(1))
    assert np.allclose(jax.vmap(jnp.add, in_axes=(0, None))(x, x[0]), x + x[0])
    assert jax.pmap(lambda v: v * 2)(x[None])[0, 0, 1] == 2


def check_loops_and_branches() -> None:
    total, sums = lax.scan(lambda carry, x: (carry + x, carry + x), 0, jnp.arange(10))
    halvings = lax.while_loop(lambda state: state[0] > 1, lambda state: (state[0] // 2, state[1] + 1), (1024, 0))

    assert (int(total), sums.tolist()[-1]) == (45, 45)
    assert int(halvings[1]) == 10
    assert lax.fori_loop(0, 5, lambda _, x: x * 2, 1) == 32
    assert lax.cond(total > 1, lambda: 1, lambda: 2) == 1
    assert lax.switch(2, [lambda: 1, lambda: 2, lambda: 3]) == 3
    assert lax.associative_scan(jnp.add, jnp.arange(5)).tolist() == [0, 1, 3, 6, 10]
    assert jax.jit(jax.grad(lambda x: lax.scan(lambda c, _: (c * x, None), x, None, length=3)[0]))(2.0) == 32


def check_random_numbers() -> None:
    keys = jax.random.split(jax.random.key(1), 3)

    assert jax.random.normal(keys[0], (1000,)).std() > 0.9
    assert not jnp.array_equal(jax.random.uniform(keys[1], (5,)), jax.random.uniform(keys[2], (5,)))
    assert jax.random.categorical(keys[0], jnp.zeros((10, 4))).max() < 4
    assert sorted(jax.random.permutation(keys[0], 5).tolist()) == [0, 1, 2, 3, 4]
    assert jax.random.normal(jax.random.key(0, impl="rbg"), (3,)).shape == (3,)


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


def check_callbacks_and_prints() -> None:
    seen: list[float] = []
    double = jax.jit(lambda x: jax.pure_callback(lambda v: 2 * np.asarray(v), jax.ShapeDtypeStruct((3,), x.dtype), x))

    @jax.jit
    def noted(x: Array) -> Array:
        jax.debug.print("x is {}", x)
        jax.debug.callback(lambda v: seen.append(float(v.sum())), x)
        return x

    assert double(jnp.arange(3.0)).tolist() == [0, 2, 4]
    noted(jnp.ones(3)).block_until_ready()
    jax.effects_barrier()
    assert seen == [3]


def check_exported_programs() -> None:
    exported = jax.export.export(jax.jit(lambda x: jnp.sin(x).sum()))(jax.ShapeDtypeStruct((8,), jnp.float32))

    again = jax.export.deserialize(exported.serialize())

    assert np.allclose(again.call(jnp.zeros(8)), 0)
    assert "stablehlo" in exported.mlir_module()


def check_sixty_four_bits() -> None:
    with jax.enable_x64(True):
        assert jnp.arange(3.0).dtype == jnp.float64
        assert jnp.sum(jnp.array([1e15, 1.0, -1e15])) == 1
    assert jnp.arange(3.0).dtype == jnp.float32


def check_checked_errors() -> None:
    def root(x: Array) -> Array:
        checkify.check(x >= 0, "{} is negative", x)
        return jnp.sqrt(x)

    error, _ = jax.jit(checkify.checkify(root))(-1.0)

    assert "is negative" in str(error.get())


def check_donated_buffers() -> None:
    step = jax.jit(lambda state, x: state + x, donate_argnums=0)
    state = jnp.zeros(1000)
    for _ in range(3):
        state = step(state, 1.0)

    assert state[0] == 3


def check_shards_on_one_device() -> None:
    mesh = Mesh(np.array(jax.devices()[:1]), ("data",))
    spec = PartitionSpec("data")
    x = jax.device_put(jnp.arange(8.0), NamedSharding(mesh, spec))

    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=spec, out_specs=PartitionSpec())
    def total(part: Array) -> Array:
        return lax.psum(part.sum(), "data")

    assert total(x) == 28


def check_small_types_and_trees() -> None:
    tree = {"a": jnp.ones(3, jnp.bfloat16), "b": (jnp.ones(2, jnp.float8_e4m3fn), None)}

    assert jax.tree.map(lambda x: x.dtype.itemsize, tree) == {"a": 2, "b": (1, None)}
    assert jax.tree.leaves(tree)[0].sum() == 3
    assert np.from_dlpack(jnp.arange(3)).tolist() == [0, 1, 2]


def check_layers_and_images() -> None:
    image = jnp.ones((1, 8, 8, 3))
    kernel = jnp.ones((3, 3, 3, 4))
    found = lax.conv_general_dilated(image, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    assert found[0, 4, 4, 0] == 27
    assert jax.image.resize(image, (1, 4, 4, 3), "bilinear").shape == (1, 4, 4, 3)
    assert np.allclose(jax.nn.softmax(jnp.arange(4.0)).sum(), 1)
    assert jax.nn.dot_product_attention(*jnp.ones((3, 1, 5, 2, 4))).shape == (1, 5, 2, 4)
