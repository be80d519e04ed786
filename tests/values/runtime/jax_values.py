"""Values of JAX, Flax and Optax."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from flax.training.train_state import TrainState

from tests.values.runtime.returned import returned

PARAMS = {"bias": jnp.zeros(3), "kernel": jnp.ones((2, 3), jnp.bfloat16)}


@returned
def jax_dtypes() -> object:
    return {
        name: jnp.array([0, 1], name) for name in ("bfloat16", "float16", "float32", "int32", "uint8", "bool", "int4")
    }


@returned
def jax_complex() -> object:
    return jnp.array([1 + 2j], jnp.complex64)


@returned
def jax_scalar() -> object:
    return jnp.float32(0.25)


@returned
def jax_float8() -> object:
    return jnp.array([0.5], jnp.float8_e4m3fn)


@returned
def jax_typed_keys() -> object:
    return jax.random.split(jax.random.key(7), 2), jax.random.key_data(jax.random.split(jax.random.key(7), 2))


@returned
def jax_lazy_result() -> object:
    return jax.jit(lambda x: x @ x)(jnp.ones((50, 50)))


@returned
def jax_too_large() -> object:
    return jnp.zeros((1025, 2**16), jnp.uint8)


@returned
def jax_tracer() -> object:
    leaked = []
    jax.jit(lambda x: leaked.append(x) or x)(jnp.ones(2))  # type: ignore[func-returns-value]
    return leaked


@returned
def jax_float0() -> object:
    return jax.grad(lambda n: 1.0 * n, allow_int=True)(3)


@returned
def jax_shape_only() -> object:
    return {"out": jax.eval_shape(jnp.sin, jnp.ones(2))}


@returned
def jax_function() -> object:
    return {"f": jax.jit(jnp.sin)}


@returned
def nnx_model() -> object:
    return nnx.Sequential(nnx.Linear(1, 2, rngs=nnx.Rngs(0)), jax.nn.relu, nnx.Dropout(0.5, rngs=nnx.Rngs(0)))


@returned
def nnx_param() -> object:
    return nnx.Param(jnp.ones(2))


@returned
def nnx_optimizer() -> object:
    return nnx.Optimizer(nnx.Linear(1, 1, rngs=nnx.Rngs(0)), optax.adam(0.1), wrt=nnx.Param)


@returned
def nnx_model_that_holds_itself() -> object:
    class Loop(nnx.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.w = nnx.Param(jnp.ones(1))
            self.me = self

    return Loop()


@returned
def nnx_graphdef() -> object:
    return nnx.graphdef(nnx.Linear(1, 1, rngs=nnx.Rngs(0)))


@returned
def linen_train_state() -> object:
    return TrainState.create(apply_fn=len, params=PARAMS, tx=optax.sgd(0.1))


@returned
def optax_adam() -> object:
    return optax.adam(0.1).init(PARAMS)


@returned
def optax_transformation() -> object:
    return optax.sgd(0.1)
