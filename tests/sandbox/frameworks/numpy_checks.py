"""Checks of NumPy's parts that meet the walls of a box: files, threads, compilers.

`test_frameworks.py` reads them as text and runs them inside boxes.
"""

import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np


def check_a_product_on_all_threads_of_the_library() -> None:
    matrix = np.ones((1500, 1500))

    assert (matrix @ matrix == 1500).all()


def check_random_generators() -> None:
    for kind in (np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64, np.random.MT19937):
        first, second = (np.random.Generator(kind(7)).standard_normal(5) for _ in range(2))
        assert (first == second).all()
    unseeded = np.random.default_rng().random(8), np.random.default_rng().random(8)
    assert (unseeded[0] != unseeded[1]).any()
    children = [np.random.default_rng(seed).random() for seed in np.random.SeedSequence(1).spawn(3)]
    assert len(set(children)) == 3
    np.random.seed(3)
    assert np.random.rand(2).shape == (2,)
    assert np.random.default_rng(0).dirichlet([1.0, 2.0], size=10).sum(axis=1).round(6).tolist() == [1.0] * 10


def check_a_map_of_a_file_can_be_read_and_copied_on_write() -> None:
    path = Path(tempfile.mkdtemp(), "table.npy")
    np.save(path, np.arange(1_000_000))

    assert np.load(path, mmap_mode="r").sum() == 499999500000
    copied = np.load(path, mmap_mode="c")
    copied[0] = 5
    assert (copied[0], np.load(path)[0]) == (5, 0)


def check_a_shared_writable_map_is_refused_with_a_sentence() -> None:
    try:
        np.memmap(Path(tempfile.mkdtemp(), "shared"), dtype=np.uint8, mode="w+", shape=4096)
    except PermissionError:
        return
    raise AssertionError("shared writable memory")


def check_threads() -> None:
    with ThreadPoolExecutor(8) as executor:
        found = list(executor.map(lambda seed: np.random.default_rng(seed).normal(size=10_000).mean(), range(64)))

    assert len(set(found)) == 64
    assert threading.active_count() >= 1


def check_files_and_text() -> None:
    folder = Path(tempfile.mkdtemp())
    table = np.arange(12.0).reshape(3, 4)
    np.savez_compressed(folder / "all.npz", table=table, names=np.array(["a", "bc"]))
    np.savetxt(folder / "table.txt", table)

    with np.load(folder / "all.npz") as loaded:
        assert (loaded["table"] == table).all()
        assert loaded["names"].tolist() == ["a", "bc"]
    assert (np.loadtxt(folder / "table.txt") == table).all()
