"""Reading packages: what a valid one holds, and the faults of others."""

import os
from pathlib import Path

import pytest
import yaml

from app.catalog.case import Array, Normal
from app.catalog.fault import Fault, PackageInvalid
from app.catalog.folder import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES
from app.catalog.package import load_package, load_packages, package_from_files
from app.judging.verdicts import Verdict
from tests.catalog.packages import FILES, PROBLEM, SOLUTION, edited, faults_of, make_files, make_package, write_package


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


SYNTAX = "def scaled_sum(x, y, scale, options):\n    return (\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_package(tmp_path / "scaled_sum")


def faults_in(folder: Path) -> list[Fault]:
    try:
        load_package(folder)
    except PackageInvalid as invalid:
        return list(invalid.problems)
    return []


@pytest.mark.parametrize(
    ("changed", "place", "words"),
    [
        ({"problem.yaml": None}, "problem.yaml", "is missing: write it"),
        ({"statement.md": None}, "statement.md", "is missing: write it, or put its text under the key `statement:`"),
        ({"statement.md": " \n"}, "statement.md:1", "is empty"),
        ({"reference.py": None}, "reference.py", "the key `reference:`"),
        ({"reference.py": SYNTAX}, "reference.py:2", "'(' was never closed: correct the line"),
        (
            {"reference.py": "def other():\n    ...\n"},
            "reference.py:1",
            "does not define scaled_sum: add `def scaled_sum(",
        ),
        ({"starter.py": "def scaled_sum(x, y):\n    ...\n"}, "starter.py:1", "does not take 4 positional arguments"),
        ({"starter.py": "return 1\n"}, "starter.py:1", "'return' outside function"),
        ({"driver.py": "def go(solution, inputs): ...\n"}, "driver.py:1", "does not define run"),
        ({"driver.py": "def run(solution): ...\n"}, "driver.py:1", "does not take 2 positional arguments"),
        ({"cases.py": None}, "problem.yaml:35", "has no cases.py: write cases.py, or put its text under"),
        (
            {"cases.py": "def make(seed): ...\n"},
            "problem.yaml:35",
            "cases.py:1 defines make, which does not take width",
        ),
        ({"cases.py": "def make(seed, width, n): ...\n"}, "problem.yaml:35", "which also needs n: add it under `with`"),
        ({"refrence.py": SOLUTION}, "refrence.py", "does not belong to a package; did you mean reference.py?"),
        ({"../secret": "x"}, "../secret", "does not belong to a package"),
        ({"/etc/passwd": "x"}, "/etc/passwd", "does not belong to a package"),
        ({"submissions/accepted/../x.py": "x"}, "submissions/accepted/../x.py", "does not belong"),
        ({"submissions/wrong_anser/a.py": "#"}, "submissions/wrong_anser/a.py", "did you mean wrong_answer?"),
        ({"submissions/judge_error/a.py": "#"}, "submissions/judge_error/a.py", "Use one of accepted, wrong_answer"),
        ({"submissions/accepted/plain.py": None}, "submissions/accepted/", "add a solution that must get this verdict"),
        ({"submissions/runtime_error/a.py": "# no\n)"}, "submissions/runtime_error/a.py:2", "unmatched ')'"),
        ({"submissions/runtime_error/a.py": "x = 1\n"}, "submissions/runtime_error/a.py:1", "comment or docstring"),
        ({"statement.md": "a\0b"}, "statement.md:1", "contains a NUL character"),
        ({"editorial.md": "x" * (MAX_FILE_BYTES + 1)}, "editorial.md", f"a file may have {MAX_FILE_BYTES}"),
    ],
)
def test_a_broken_file_is_named_with_the_remedy(changed: dict[str, str | None], place: str, words: str) -> None:
    faults = faults_of(make_files(changed))

    assert [str(fault).partition(": ")[0].split(" ")[0] for fault in faults] == [place]
    assert words in str(faults[0])


def test_an_invalid_submission_need_not_compile() -> None:
    assert faults_of(make_files({"submissions/invalid_submission/a.py": "# no Python\n)"})) == ()


def test_bad_utf8_is_named_with_its_line() -> None:
    faults = faults_of(make_files() | {"statement.md": b"one\ntwo \xff"})

    assert [str(fault) for fault in faults] == [
        "statement.md:2: is not UTF-8: byte 0xff at offset 8: save the file as UTF-8"
    ]


def test_a_text_given_twice_is_a_fault() -> None:
    faults = faults_of(make_files(problem=PROBLEM + "statement: Again.\n"))

    told = [(fault.key, fault.message) for fault in faults]
    assert told == [("statement", "is given here and as the file statement.md")]


def test_a_syntax_error_in_inline_code_has_the_line_of_problem_yaml() -> None:
    inline = PROBLEM + "starter: |\n  def scaled_sum(x, y, scale, options):\n      return )\n"

    faults = faults_of(make_files({"starter.py": None}, problem=inline))

    line = inline.splitlines().index("      return )") + 1
    assert [(fault.file, fault.line, fault.key) for fault in faults] == [("problem.yaml", line, "starter")]


def test_an_inline_submission_has_a_verdict_word() -> None:
    inline = PROBLEM + "submissions:\n  acepted:\n    good: |\n      # mine\n"

    faults = faults_of(make_files(problem=inline))

    assert [(fault.key, fault.message) for fault in faults] == [
        ("submissions.acepted", "names the verdict 'acepted'; did you mean accepted?"),
    ]


def test_a_slug_that_no_address_can_hold_is_refused() -> None:
    with pytest.raises(PackageInvalid, match="use at most 64 lower-case letters"):
        package_from_files("Scaled Sum", make_files())


def test_a_symbolic_link_is_refused_and_not_read(folder: Path) -> None:
    (folder / "editorial.md").unlink()
    (folder / "editorial.md").symlink_to("/etc/passwd")

    assert [(fault.file, fault.message) for fault in faults_in(folder)] == [("editorial.md", "is a symbolic link")]


def test_a_linked_folder_is_refused_and_not_read(folder: Path, tmp_path: Path) -> None:
    (folder / "submissions/wrong_answer").rename(tmp_path / "elsewhere")
    (folder / "submissions/wrong_answer").symlink_to(tmp_path / "elsewhere")

    assert ("submissions/wrong_answer", "is a symbolic link") in [(f.file, f.message) for f in faults_in(folder)]


def test_a_pipe_is_refused_and_not_waited_for(folder: Path) -> None:
    (folder / "editorial.md").unlink()
    os.mkfifo(folder / "editorial.md")

    assert [fault.message for fault in faults_in(folder)] == ["is not a plain file"]


def test_a_huge_file_is_refused_unread(folder: Path) -> None:
    with (folder / "editorial.md").open("wb") as file:
        file.truncate(2**40)

    assert [fault.file for fault in faults_in(folder)] == ["editorial.md"]


def test_too_many_files_are_refused(folder: Path) -> None:
    for number in range(MAX_FILES):
        (folder / f"submissions/accepted/n{number}.py").write_text(SOLUTION)

    assert [fault.remedy for fault in faults_in(folder)] == [
        f"remove some: a package may have {MAX_FILES} files with {MAX_TOTAL_BYTES} bytes in all"
    ]


def test_a_package_that_is_too_large_in_all_is_refused() -> None:
    large = {f"submissions/accepted/n{n}.py": "#" * (MAX_FILE_BYTES - 1) for n in range(17)}

    assert "bytes in all" in faults_of(make_files(large))[0].remedy


def test_code_nested_too_deeply_is_refused_and_not_a_crash() -> None:
    faults = faults_of(make_files({"reference.py": "x" + ".a" * 100_000}))

    assert [str(fault) for fault in faults] == [
        "reference.py:1: is too long or nested too deeply to compile: write simpler code"
    ]


def test_hundreds_of_faults_stay_readable() -> None:
    problem = PROBLEM + "".join(f"{'k' * 150}{n}: 1\n" for n in range(300))

    with pytest.raises(PackageInvalid) as caught:
        package_from_files("scaled_sum", make_files(problem=problem))

    assert len(caught.value.problems) == 300
    assert len(str(caught.value).splitlines()) == 102
    assert max(map(len, str(caught.value).splitlines())) < 1000


def test_files_of_editors_and_of_python_are_no_part_of_a_package(folder: Path) -> None:
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/reference.cpython-311.pyc").write_bytes(b"\0")
    (folder / ".DS_Store").write_bytes(b"\0")
    for backup in ("reference.py~", "problem.yaml.orig", "starter.py.bak"):
        (folder / backup).write_text("old")

    assert set(load_package(folder).files) == set(FILES)


def test_a_folder_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    assert "is not a folder: name the folder that holds problem.yaml" in str(faults_in(tmp_path / "nothing")[0])


def test_a_generator_in_a_broken_cases_file_is_not_blamed_on_its_case() -> None:
    faults = faults_of(make_files({"cases.py": "def make(:\n"}, problem=edited("generate: make", "generate: other")))

    assert [fault.file for fault in faults] == ["cases.py"]


@pytest.mark.parametrize("broken", [b"title: a: b\n", b"title: \xff\n"])
def test_of_a_manifest_that_can_not_be_read_nothing_else_is_said_to_be_missing(broken: bytes) -> None:
    checker = b"def check(inputs, expected, answer): ...\n"

    with pytest.raises(PackageInvalid) as invalid:
        package_from_files("scaled_sum", {"problem.yaml": broken, "checker.py": checker})

    assert [fault.file for fault in invalid.value.problems] == ["problem.yaml"]


def test_a_fault_of_several_cases_is_told_once_with_its_lines() -> None:
    faults = faults_of(make_files({}, problem=edited("name: x,", "name: z,")))

    (missing,) = [fault for fault in faults if "is missing" in fault.message]
    assert "(also line" in missing.message


def test_an_entry_point_that_no_code_defines_is_one_fault_of_the_manifest() -> None:
    (fault,) = faults_of(make_files({}, problem=edited("entry_point: scaled_sum", "entry_point: scaled_sun")))

    assert (fault.file, fault.key) == ("problem.yaml", "entry_point")
    assert "neither the starter nor the reference defines" in fault.message
