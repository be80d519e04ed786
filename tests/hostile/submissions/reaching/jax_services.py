# mechanism: a profiler's server, a coordinator, and a foreign function at a made-up address
# verdict: runtime_error
# problem: dense_layer
import ctypes

import jax
import jax.numpy as jnp

for start in (
    lambda: jax.profiler.start_server(29501),
    lambda: jax.distributed.initialize("127.0.0.1:29502", 1, 0, initialization_timeout=1),
):
    try:
        print("started", start())
    except Exception as error:
        print(type(error))

ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
jax.ffi.register_ffi_target("nowhere", ctypes.pythonapi.PyCapsule_New(0x1000, None, None), platform="cpu")


def dense_layer(x, w):
    return jax.ffi.ffi_call("nowhere", jax.ShapeDtypeStruct((2, 2), jnp.float32))(x, w)
