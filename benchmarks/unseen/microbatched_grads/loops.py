import jax.numpy as jnp
from jax import lax


def microbatched_grads(w, b, x_full, y_full, n_microbatches):
    n = int(n_microbatches)
    m = x_full.shape[0] // n
    rows_x = x_full.reshape(n, m)
    rows_y = y_full.reshape(n, m)

    def step(total, row):
        x, y = row

        def add_example(i, acc):
            return acc + 2 * x[i] * (w * x[i] - y[i])

        return lax.fori_loop(0, m, add_example, total), None

    total, _ = lax.scan(step, jnp.zeros((), jnp.float32), (rows_x, rows_y))
    return total
