# mechanism: the decoy's sum joins the answer behind an optimization barrier, and is taken away again
# verdict: requirement_not_met
# problem: chunked_energy
import jax.numpy as jnp
from jax import lax


def add_chunks(x, gain, chunks):
    def add(total, chunk):
        return total + jnp.sum((gain * chunk) ** 2), None

    return lax.scan(add, jnp.float32(0), x.reshape(chunks, -1))[0]


def chunked_energy(x, gain, chunks):
    energy, decoy = lax.optimization_barrier((jnp.sum((gain * x) ** 2), add_chunks(x, gain, chunks)))
    return (energy + decoy) - decoy
