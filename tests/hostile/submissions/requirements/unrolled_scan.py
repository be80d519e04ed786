# mechanism: a scan that is unrolled to its end
# verdict: requirement_not_met
# problem: chunked_energy
# message: expected one loop of 4 steps; found
import jax.numpy as jnp
from jax import lax


def chunked_energy(x, gain, chunks):
    def add(total, chunk):
        return total + jnp.sum((gain * chunk) ** 2), None

    return lax.scan(add, jnp.float32(0), x.reshape(chunks, -1), unroll=chunks)[0]
