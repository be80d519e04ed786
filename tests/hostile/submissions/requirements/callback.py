# mechanism: the loop of the program calls back into Python, where the answer is computed
# verdict: requirement_not_met
# problem: chunked_energy
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def chunked_energy(x, gain, chunks):
    def add(total, chunk):
        energy = jax.pure_callback(lambda c, g: np.float32(((g * c) ** 2).sum()), total, chunk, gain)
        return total + energy, None

    return lax.scan(add, jnp.float32(0), x.reshape(chunks, -1))[0]
