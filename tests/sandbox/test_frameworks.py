"""Files, threads and compilers of the frameworks work under the student's filter.

The known submissions of `problems/` and the honest ones of `tests/hostile` show the rest. These tests take long, so
only two of the four kinds of boxes run them: both launchers, both ways to isolate. The quick run has one framework.
"""

import pytest

from tests.sandbox.bench import Bench, value_of

CHECKS = {
    "numpy": """
        import numpy as np

        def solve():
            matrix, table = np.ones((1500, 1500)), np.arange(12.0).reshape(3, 4)
            assert (matrix @ matrix == 1500).all()
            assert (np.random.default_rng().random(8) != np.random.default_rng().random(8)).any()
            np.savez_compressed("/tmp/all.npz", table=table, names=np.array(["a", "bc"]))
            np.savetxt("/tmp/table.txt", table)
            np.save("/tmp/table.npy", table)
            with np.load("/tmp/all.npz") as loaded:
                assert (loaded["table"] == table).all()
            assert (np.loadtxt("/tmp/table.txt") == table).all()
            assert np.load("/tmp/table.npy", mmap_mode="r").sum() == 66
            copied = np.load("/tmp/table.npy", mmap_mode="c")
            copied[0] = 5
            return bool((np.load("/tmp/table.npy") == table).all())
    """,
    "jax": """
        import jax, jax.numpy as jnp, numpy as np
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as Spec

        def solve():
            x = jax.random.normal(jax.random.key(0), (32, 32))
            definite = x @ x.T + 32 * jnp.eye(32)
            left, values, right = jnp.linalg.svd(x)
            assert np.allclose((left * values) @ right, x, atol=1e-3)
            assert np.allclose(jnp.linalg.solve(definite, definite), jnp.eye(32), atol=1e-3)
            assert np.allclose(jnp.fft.ifft(jnp.fft.fft(x)).real, x, atol=1e-5)
            assert jax.jit(lambda x: x @ x.T).lower(x).compile().cost_analysis()
            mesh = Mesh(np.array(jax.devices()[:1]), ("data",))
            total = jax.shard_map(
                lambda x: jax.lax.psum(x.sum(), "data"), mesh=mesh, in_specs=Spec("data"), out_specs=Spec()
            )
            return float(jax.jit(total)(jax.device_put(jnp.arange(8.0), NamedSharding(mesh, Spec("data"))))) == 28
    """,
    "flax": """
        import pathlib
        import jax, jax.numpy as jnp, numpy as np, orbax.checkpoint
        from flax import linen, serialization

        def solve():
            variables = linen.Dense(4).init(jax.random.key(0), jnp.ones((64, 1)))
            path = pathlib.Path("/tmp/parameters")
            path.write_bytes(serialization.to_bytes(variables))
            again = serialization.from_bytes(variables, path.read_bytes())
            assert jax.tree.all(jax.tree.map(jnp.array_equal, variables, again))
            tree = {"step": np.array(3), "parameters": {"w": jnp.arange(1000.0)}}
            with orbax.checkpoint.StandardCheckpointer() as checkpointer:
                checkpointer.save("/tmp/checkpoint", tree)
                checkpointer.wait_until_finished()
                again = checkpointer.restore("/tmp/checkpoint", tree)
            return bool(np.array_equal(again["parameters"]["w"], tree["parameters"]["w"]))
    """,
    "torch": """
        import torch
        from torch import nn

        def solve():
            x, big = torch.linspace(-1, 1, 64)[:, None], torch.ones(1200, 1200)
            model, other = (nn.Sequential(nn.Linear(1, 4), nn.Tanh()).eval() for _ in range(2))
            assert torch.allclose(torch.export.export(model, (x,)).module()(x), model(x))
            assert torch.allclose(torch.fx.symbolic_trace(model)(x), model(x))
            assert torch.allclose(torch.jit.trace(model, x)(x), model(x))
            torch.save({"model": model.state_dict()}, "/tmp/model.pt")
            other.load_state_dict(torch.load("/tmp/model.pt", weights_only=True)["model"])
            assert torch.equal(other(x), model(x))
            torch.set_num_threads(2)
            return torch.get_num_threads() == 2 and torch.equal(big @ big, torch.full((1200, 1200), 1200.0))
    """,
}
NEEDS = {name: (name, "numpy") if name != "numpy" else (name,) for name in CHECKS} | {"flax": ("flax", "jax", "numpy")}


@pytest.mark.parametrize(
    ("launcher", "framework"),
    [
        pytest.param(
            kind, framework, marks=[] if (kind, framework) == ("docker-shared", "torch") else pytest.mark.whole
        )
        for kind in ("bubblewrap-namespaces", "docker-shared")
        for framework in CHECKS
    ],
    indirect=["launcher"],
)
def test_files_threads_and_compilers_of_a_framework_work_in_a_box(bench: Bench, framework: str) -> None:
    run = bench.run_cleanly(CHECKS[framework], frameworks=NEEDS[framework], wall_seconds=120)

    assert run.load_failure is None
    assert (value_of(run.cases[0]), run.cases[0].text) == (True, "")


@pytest.mark.parametrize("launcher", ["bubblewrap-namespaces"], indirect=True)
def test_linear_algebra_in_jax_waits_for_no_large_import(bench: Bench) -> None:
    source = """
        import sys
        import jax.numpy as jnp

        def solve():
            known = set(sys.modules)
            jnp.linalg.solve(2 * jnp.eye(2), jnp.ones(2)).block_until_ready()
            return [name for name in sys.modules if name not in known and ("scipy" in name or "mhlo" in name)]
    """
    run = bench.run_cleanly(source, frameworks=("jax",))

    assert value_of(run.cases[0]) == []
