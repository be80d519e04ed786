from pathlib import Path

import yaml

from app.catalog.case import Array, Normal
from app.catalog.package import load_package, load_packages, package_from_files
from app.judging.verdicts import Verdict
from tests.catalog.packages import FILES, PROBLEM, SOLUTION, make_files, make_package, write_package


def test_a_package_holds_its_texts_and_known_submissions() -> None:
    package = make_package()

    assert package.statement == FILES["statement.md"]
    assert package.generators == FILES["cases.py"]
    assert package.driver is None
    assert [(known.verdict, known.name) for known in package.submissions] == [
        (Verdict.ACCEPTED, "plain"),
        (Verdict.WRONG_ANSWER, "unscaled"),
    ]


def test_a_manifest_holds_what_the_yaml_says() -> None:
    manifest = make_package().manifest

    x, _, scale, options = manifest.parameters
    assert (x.kind, x.shape, x.dtype) == ("numpy", ("N",), "float32")
    assert (scale.kind, options.kind) == ("value", "numpy")
    assert manifest.tolerance is not None
    assert manifest.tolerance.rtol == 1e-5
    assert manifest.tolerance.leaves["history"].atol == 1e-6
    small, large, made = manifest.cases
    assert small.inputs is not None
    assert small.inputs["options"] == {"verbose": True, "weights": Array(array=(1, 2))}
    assert large.inputs is not None
    assert large.inputs["x"] == Normal(draw="normal", shape=(100,), scale=2.0)
    assert (made.generate, made.arguments, made.visibility) == ("make", {"width": 3}, "hidden")


def test_a_folder_and_its_files_in_memory_are_the_same_package(tmp_path: Path) -> None:
    package = load_package(write_package(tmp_path / "scaled_sum"))

    assert package == make_package()
    assert package_from_files(package.slug, package.files) == package


def test_one_file_can_be_a_whole_problem() -> None:
    inline = {key: FILES[file] for key, file in [("statement", "statement.md"), ("starter", "starter.py")]}
    inline |= {"reference": SOLUTION, "generators": FILES["cases.py"]}
    submissions = {"accepted": {"plain": SOLUTION}, "wrong_answer": {"unscaled.py": "# forgets the scale\n" + SOLUTION}}
    text = PROBLEM + yaml.safe_dump(inline | {"submissions": submissions})

    package = package_from_files("scaled_sum", {"problem.yaml": text.encode()})

    assert (package.starter, package.reference, package.generators) == (
        FILES["starter.py"],
        SOLUTION,
        FILES["cases.py"],
    )
    assert [(known.verdict, known.name) for known in package.submissions] == [
        ("accepted", "plain"),
        ("wrong_answer", "unscaled"),
    ]
    assert package.manifest == make_package().manifest


def test_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    windows = {path: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n") for path, content in make_files().items()}

    assert package_from_files("scaled_sum", windows) == make_package()


def test_every_package_of_a_folder_is_loaded_by_slug(tmp_path: Path) -> None:
    for slug in ("b", "a"):
        write_package(tmp_path / slug)
    (tmp_path / "notes").mkdir()

    assert [package.slug for package in load_packages(tmp_path)] == ["a", "b"]
