# mechanism: the compilation cache searched for the reference's program, and turned on to be written
# verdict: accepted
# problem: dense_layer
import os

import jax
import jax.numpy as jnp

WRITTEN = []
for folder in ("/cache", "/tmp/../cache", "/allclose/cache"):
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        assert "dense_layer" not in name and b"dense_layer" not in open(os.path.join(folder, name), "rb").read()
    try:
        os.makedirs(folder, exist_ok=True)
        open(os.path.join(folder, "jit_tanh-0-cache"), "wb").close()
        WRITTEN.append(folder)
    except OSError:
        pass
jax.config.update("jax_compilation_cache_dir", "/tmp/mine")
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def dense_layer(x, w):
    if WRITTEN:
        raise RuntimeError(f"written: {WRITTEN}")
    return jnp.tanh(x @ w)
