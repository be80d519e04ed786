# mechanism: the traced program is right, and what the function answers when it is called is not
# verdict: wrong_answer
# problem: chunked_energy
import jax
import jax.numpy as jnp
from jax import lax


def add_chunks(x, gain, chunks):
    def add(total, chunk):
        return total + jnp.sum((gain * chunk) ** 2), None

    return lax.scan(add, jnp.float32(0), x.reshape(chunks, -1))[0]


def chunked_energy(x, gain, chunks):
    energy = add_chunks(x, gain, chunks)
    return energy if isinstance(x, jax.core.Tracer) else energy + 1
