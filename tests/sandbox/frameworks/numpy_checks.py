"""Checks of NumPy's parts that students use. Read as text and run inside boxes by `test_frameworks.py`."""

import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np


def check_linear_algebra() -> None:
    matrix = np.random.default_rng(0).normal(size=(200, 200))
    symmetric = matrix @ matrix.T + 200 * np.eye(200)
    left, values, right = np.linalg.svd(matrix)
    eigenvalues, vectors = np.linalg.eigh(symmetric)
    factor = np.linalg.cholesky(symmetric)

    assert np.allclose(left * values @ right, matrix)
    assert np.allclose(vectors * eigenvalues @ vectors.T, symmetric)
    assert np.allclose(factor @ factor.T, symmetric)
    assert np.allclose(symmetric @ np.linalg.solve(symmetric, matrix), matrix)
    assert np.allclose(np.linalg.qr(matrix).R, np.triu(np.linalg.qr(matrix).R))
    assert np.isclose(np.linalg.slogdet(symmetric).logabsdet, np.log(eigenvalues).sum())


def check_a_product_on_all_threads_of_the_library() -> None:
    matrix = np.ones((1500, 1500))

    assert (matrix @ matrix == 1500).all()


def check_fourier_transforms() -> None:
    signal = np.random.default_rng(0).normal(size=4096)
    image = signal.reshape(64, 64)

    assert np.allclose(np.fft.irfft(np.fft.rfft(signal)), signal)
    assert np.isclose((np.abs(np.fft.fft(signal)) ** 2).sum() / 4096, (signal**2).sum())
    assert np.allclose(np.fft.ifft2(np.fft.fft2(image)).real, image)


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


def check_einsum() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 20, 30, 30))

    assert np.allclose(np.einsum("bij,bjk->bik", a, b), a @ b)
    assert np.allclose(np.einsum("bij,bjk,bkl->il", a, b, a, optimize="optimal"), (a @ b @ a).sum(0))


def check_large_sorts() -> None:
    values = np.random.default_rng(0).integers(0, 10**9, size=3_000_000)
    ordered = np.sort(values, kind="stable")

    assert (np.diff(ordered) >= 0).all()
    assert (values[np.argsort(values)] == ordered).all()
    assert np.partition(values, 100)[100] == ordered[100]
    assert (np.unique(values, return_counts=True)[1]).sum() == 3_000_000


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


def check_records_strings_and_dates() -> None:
    people = np.array([("ada", 36), ("grace", 85)], dtype=[("name", "U8"), ("age", "i4")])

    assert people[np.argsort(people["age"])[::-1]]["name"].tolist() == ["grace", "ada"]
    assert np.strings.upper(people["name"]).tolist() == ["ADA", "GRACE"]
    assert (np.datetime64("2024-03-01") - np.datetime64("2024-02-01")).astype(int) == 29


def check_ufuncs_masks_and_polynomials() -> None:
    counts = np.zeros(3)
    np.add.at(counts, [0, 2, 2], 1)
    line = np.polynomial.Polynomial.fit(np.arange(5), 2 * np.arange(5) + 1, deg=1).convert()

    assert counts.tolist() == [1, 0, 2]
    assert np.ma.masked_invalid([1.0, np.nan, 3.0]).mean() == 2
    assert np.allclose(line.coef, [1, 2])
    with np.errstate(divide="raise"):
        try:
            np.float64(1) / np.zeros(1)
        except FloatingPointError:
            return
    raise AssertionError("a division by zero")
