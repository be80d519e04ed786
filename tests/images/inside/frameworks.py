"""Uses every framework once, then tells who it is, and which loaded sources have no compiled file that Python takes."""

import importlib.util
import json
import os
import struct
import sys
from pathlib import Path

import flax.nnx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import torch
import torch._dynamo

import sandbox.guest.monitor
import sandbox.guest.student
import sandbox.guest.zygote  # noqa: F401

UNCHECKED = 1  # PEP 552: has a digest of the source, with which it is never compared


def is_compiled(source: Path) -> bool:
    """Return whether the compiled file is valid: it is unchecked, or holds the date and the size of the source."""
    compiled = Path(importlib.util.cache_from_source(str(source)))
    if not compiled.exists():
        return False
    magic, flags, date, size = struct.unpack("<4sIII", compiled.read_bytes()[:16])
    is_dated = flags == 0 and (date, size) == (int(source.stat().st_mtime), source.stat().st_size)
    return magic == importlib.util.MAGIC_NUMBER and (flags == UNCHECKED or is_dated)


ones = np.ones((4, 4), np.float32)
descent = optax.sgd(1.0)
updates, _ = descent.update(jnp.ones(()), descent.init(jnp.ones(())))
answers = {
    "jax": float(jax.jit(lambda x: (x @ x).sum())(ones)),
    "flax": flax.nnx.Linear(4, 2, rngs=flax.nnx.Rngs(0))(jnp.asarray(ones)).shape[1],
    "optax": float(optax.apply_updates(jnp.ones(()), updates)),
    "torch": float((torch.from_numpy(ones) @ torch.from_numpy(ones)).sum()),
    "torch.compile, eager": float(torch.compile(lambda x: x.sum(), backend="eager")(torch.ones(3))),
    "torch.compile, aot_eager": float(torch.compile(lambda x: x.sum(), backend="aot_eager")(torch.ones(3))),
}
files = [Path(file) for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))]
sources = [file for file in files if file.suffix == ".py" and file.is_absolute()]  # torch.ops only pretends to be one
facts = {
    "uid": os.getuid(),
    "gid": os.getgid(),
    "answers": answers,
    "loaded": len(sources),
    "not compiled": sorted(str(source) for source in sources if not is_compiled(source)),
}
print(json.dumps(facts))
