# mechanism: raises while it is traced, and is right when it is called
# verdict: requirement_not_met
# problem: chunked_energy
# message: can't trace chunked_energy
import jax
import jax.numpy as jnp


def chunked_energy(x, gain, chunks):
    if isinstance(x, jax.core.Tracer):
        raise ValueError("nobody looks at me")
    return jnp.sum((gain * x) ** 2)
