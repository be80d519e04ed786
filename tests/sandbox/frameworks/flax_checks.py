"""Checks of Flax's parts that meet the walls of a box: files, threads, compilers.

`test_frameworks.py` reads them as text and runs them inside boxes.
"""

import tempfile
from pathlib import Path

import flax
import jax
import jax.numpy as jnp
import numpy as np
from flax import linen, serialization


def check_bytes_and_back() -> None:
    variables = linen.Dense(4).init(jax.random.key(0), jnp.ones((64, 1)))
    path = Path(tempfile.mkdtemp(), "parameters")
    path.write_bytes(serialization.to_bytes(variables))

    again = serialization.from_bytes(variables, path.read_bytes())

    assert jax.tree.all(jax.tree.map(jnp.array_equal, variables, again))
    assert flax.traverse_util.flatten_dict(again, sep="/")["params/kernel"].shape == (1, 4)


def check_a_checkpoint_by_orbax() -> None:
    import orbax.checkpoint as checkpoint

    tree = {"step": np.array(3), "parameters": {"w": jnp.arange(1000.0)}}
    folder = Path(tempfile.mkdtemp(), "checkpoint")
    with checkpoint.StandardCheckpointer() as checkpointer:
        checkpointer.save(folder, tree)
        checkpointer.wait_until_finished()
        again = checkpointer.restore(folder, tree)

    assert np.array_equal(again["parameters"]["w"], tree["parameters"]["w"])  # type: ignore[index]
