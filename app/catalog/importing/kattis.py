"""Import a problem package of Kattis or the ICPC: formats `legacy`, `legacy-icpc` and those from 2023-07 on.

A program becomes a function `main()`. A driver calls it with the case's input as standard input; the printed words are
the answer. Only Python programs and the default validator map. Statements in LaTeX keep their commands, for the author
to convert.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from app.catalog.importing.kattis_program import NotMapped, as_function, comment_of
from app.catalog.importing.kattis_validator import Validator, read_validator, write_driver
from app.catalog.importing.package_writer import (
    ACCEPTED,
    ImportedPackage,
    Notes,
    Source,
    distinct,
    name_of,
    write_package,
)
from app.catalog.importing.program import ImportRefused, SourceFolder, open_folder
from app.catalog.yaml_document import read_document
from app.judging.printable_text import lines_of

VERDICTS = {
    "accepted": "accepted",
    "wrong_answer": "wrong_answer",
    "time_limit_exceeded": "time_limit_exceeded",
    "run_time_error": "runtime_error",
}
LICENCES = {"cc0": "CC0-1.0", "cc by": "CC-BY-4.0", "cc by-sa": "CC-BY-SA-4.0", "public domain": "public domain"}
UNMAPPED_TYPES = ("interactive", "scoring", "multi-pass", "submit-answer")
_STARTER_NAME = "`def main():`"
_SECTION_OF = {"input": "Inputs", "output": "Output"}
_COMMENT, _SECTION = re.compile(r"(?<!\\)%.*"), re.compile(r"\\section\*?\{(.+?)\}")
_ADDED = re.compile(r"^\s*\{\{\s*\w+\s*\}\}\s*$|^\s*\\nextsample\s*$", re.MULTILINE)
_STARTER = '''import sys


def main():
    """Reads standard input and prints the answer."""
    raise NotImplementedError("replace this line with your solution")
'''


def title_of(text: str) -> str | None:
    plain = re.search(r"%%\s*plainproblemname:\s*(.+)", text)
    named = re.search(r"\\problemname\{((?:[^{}]|\{[^{}]*\})*)\}", text)
    return plain[1].strip() if plain else named[1].strip() if named else None


# All inputs go into problem.yaml, which may have 256 KiB.
MAX_INPUT_BYTES, MAX_CASES = 160 * 2**10, 200
SAMPLE, SECRET = "data/sample", "data/secret"
PYTHON_3 = (".py", ".py3")


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    visibility: str
    stdin: str
    answer: str | None


def read_kattis(root: Path) -> ImportedPackage:
    """Raises ImportRefused."""
    folder, notes = open_folder(root), Notes()
    metadata = _metadata(folder)
    validator = read_validator(folder, metadata, notes)
    cases = _cases(folder, notes)
    files = _programs(folder, notes)
    title, statement = _statement(folder, metadata, notes)
    source = Source(
        name=root.resolve().name,
        origin="a Kattis package",
        manifest={"title": title, **_manifest(metadata, validator, cases, notes)},
        sections=_sections(statement),
        files={**files, "starter.py": _STARTER, "driver.py": write_driver(validator)},
        answers={case.name: validator.words(case.answer) for case in cases if case.answer is not None},
    )
    return write_package(source, notes)


def _metadata(folder: SourceFolder) -> Mapping[str, Any]:
    """Raises ImportRefused, also for problems that are not judged on one run."""
    if folder.find(["problem.yaml"]) is None:
        raise ImportRefused(f"{folder.root} has no problem.yaml: name the folder of a Kattis package")
    metadata = read_document("problem.yaml", folder.text("problem.yaml")).content or {}
    kinds = f"{metadata.get('type', '')} {metadata.get('validation', '')}".replace("score", "scoring")
    for kind in UNMAPPED_TYPES:
        if kind in kinds:
            raise ImportRefused(f"the problem is {kind}, which does not map: import a pass-fail problem with one run")
    return metadata


def _cases(folder: SourceFolder, notes: Notes) -> list[_Case]:
    """Raises ImportRefused without a sample: the author must choose which case students see."""
    found = [(path, "sample") for path in folder.under(SAMPLE)] + [(path, "hidden") for path in folder.under(SECRET)]
    inputs = [(path, visibility) for path, visibility in found if path.endswith(".in")]
    names = distinct([name_of(path.removesuffix(".in").partition("/")[2]) for path, _ in inputs])
    cases: list[_Case] = []
    room = MAX_INPUT_BYTES
    for (path, visibility), name in zip(inputs, names, strict=True):
        if (size := folder.size(path)) > room or len(cases) == MAX_CASES:
            notes.left_out.append(f"{path}, {size} bytes: too large for problem.yaml; draw such inputs in cases.py")
            continue
        room -= size
        answer = path.removesuffix(".in") + ".ans"
        cases.append(
            _Case(name, visibility, folder.text(path), folder.text(answer) if answer in folder.paths else None)
        )
    if not any(case.visibility == "sample" for case in cases):
        raise ImportRefused(f"{SAMPLE} has no test case: put one there that students may see")
    if not any(case.visibility == "hidden" for case in cases):
        is_given = any(visibility == "hidden" for _, visibility in inputs)
        reason = "all of the source were too large" if is_given else f"there is no hidden data, since {SECRET} is empty"
        notes.todo.append(f"add hidden cases: {reason}")
    return cases


def _programs(folder: SourceFolder, notes: Notes) -> dict[str, str]:
    """Return `reference.py` and `submissions/`. Raises ImportRefused if no accepted program is Python."""
    files: dict[str, str] = {}
    for path in folder.under("submissions"):
        parts = PurePosixPath(path).parts
        verdict = VERDICTS.get(parts[1])
        if path.endswith((".yaml", ".md", ".txt")):
            continue
        try:
            _require_one_python_file(parts, verdict)
            program = _python_3(folder.text(path))
            function = as_function(program)
        except NotMapped as reason:
            notes.left_out.append(f"{path}: {reason}")
            continue
        target = f"submissions/{verdict}/{name_of(PurePosixPath(path).stem)}.py"
        if target in files:  # add.py and add.py3
            target = f"submissions/{verdict}/{name_of(parts[2])}.py"
        files[target] = function if verdict == "accepted" else _explained(function, comment_of(program), target, notes)
    accepted = [path for path in files if path.startswith(ACCEPTED)]
    if not accepted:
        raise ImportRefused(
            "no program of submissions/accepted/ became a Python function for the reference: "
            "add one in Python 3 and import again; " + "; ".join(notes.left_out)
        )
    notes.todo.append(f"the reference is {accepted[0]}: replace it if another is clearer")
    return {**files, "reference.py": files[accepted[0]]}


def _require_one_python_file(parts: Sequence[str], verdict: str | None) -> None:
    """Raises NotMapped."""
    if verdict is None:
        raise NotMapped(f"{parts[1]} is not a known verdict")
    if len(parts) > 3:
        raise NotMapped("it has several files")
    if not parts[-1].endswith(PYTHON_3):
        raise NotMapped("it is Python 2" if parts[-1].endswith(".py2") else "it is not Python")


def _explained(function: str, sentence: str, path: str, notes: Notes) -> str:
    """Put the sentence about its mistake before a wrong submission, or a TODO if it is empty."""
    if not sentence:
        notes.todo.append(f"describe the mistake in the first line of {path}: it is the hint for students who make it")
    return f"# Mistake: {sentence or 'TODO: describe the mistake in a sentence.'}\n\n{function}"


def _python_3(source: str) -> str:
    if source.startswith("#!") and "python2" in source.partition("\n")[0]:
        raise NotMapped("it is Python 2")
    return source.partition("\n")[2] if source.startswith("#!") else source


def _statement(folder: SourceFolder, metadata: Mapping[str, Any], notes: Notes) -> tuple[str, str]:
    """Return the title and the statement."""
    found = [path for path in folder.paths if re.fullmatch(r"(problem_)?statement/problem(\.en)?\.(md|tex)", path)]
    name = metadata.get("name")
    title = str(name.get("en") or next(iter(name.values()))) if isinstance(name, dict) and name else name
    text = folder.text(found[0]) if found else ""
    if not found:
        notes.left_out.append("the statement: neither statement/problem.en.md nor .tex is there")
    elif found[0].endswith(".tex"):
        title = title or title_of(text)
        text = _SECTION.sub(r"## \1", _COMMENT.sub("", text))
        notes.todo.append("write statement.md in Markdown: it is LaTeX, which `pandoc -f latex -t markdown` converts")
    notes.todo.append(f"write in statement.md that students write {_STARTER_NAME}, which reads input and prints")
    return str(title or folder.root.resolve().name), text


def _sections(text: str) -> dict[str, str]:
    """Split the text into `Inputs`, `Output` and the rest, which is `Problem`."""
    sections: dict[str, list[str]] = {}
    current = "Problem"
    for line in lines_of(_ADDED.sub("", text)):
        heading = re.fullmatch(r"(#+)\s*(.+?)\s*", line)
        if heading:
            word = heading[2].strip("*").lower()
            if len(heading[1]) == 1 and not sections:
                continue  # the title
            current = _SECTION_OF.get(word, "Problem")
            line = "" if word in _SECTION_OF else f"### {heading[2]}"
        sections.setdefault(current, []).append(line)
    return {name: "\n".join(lines) for name, lines in sections.items()}


def _manifest(
    metadata: Mapping[str, Any], validator: Validator, cases: Sequence[_Case], notes: Notes
) -> dict[str, Any]:
    limits = metadata.get("limits")
    tolerance = {"rtol": validator.rtol, "atol": validator.atol}
    return {
        "tags": _tags(metadata.get("keywords")),
        **_licence(metadata, notes),
        "frameworks": ["numpy"],
        "entry_point": "main",
        "parameters": [],
        "inputs": [{"name": "stdin", "type": "str", "doc": "what the program reads"}],
        "returns": {"type": "list" if validator.splits else "str", "doc": "what the program prints"},
        **({"tolerance": tolerance} if validator.reads_numbers else {}),
        "limits": _limits(limits if isinstance(limits, dict) else {}, notes),
        "cases": [
            {"name": case.name, "visibility": case.visibility, "inputs": {"stdin": case.stdin}} for case in cases
        ],
    }


def _limits(limits: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    seconds, mebibytes = limits.get("time_limit"), limits.get("memory")
    if not isinstance(seconds, int | float) or not 0 < seconds <= 300:
        notes.todo.append("set limits.wall_seconds: `allclose problem verify` suggests it from the slowest solution")
        seconds = 10
    memory = min(max(int(mebibytes), 64), 65_536) if isinstance(mebibytes, int | float) else 1024
    return {"wall_seconds": float(seconds), "memory_mib": memory}


def _tags(keywords: Any) -> list[str]:
    words = keywords.split() if isinstance(keywords, str) else keywords if isinstance(keywords, list) else []
    tags = [re.sub(r"[^a-z0-9+._-]", "-", str(word).lower()).strip("-._+")[:40] for word in words]
    return list(dict.fromkeys(tag for tag in tags if tag))[:20]


def _licence(metadata: Mapping[str, Any], notes: Notes) -> dict[str, str]:
    """Return the licence with its owner, whom most of these licences require you to name."""
    licence = str(metadata.get("license", "unknown"))
    credits = (
        metadata.get("rights_owner") or metadata.get("author") or metadata.get("credits") or metadata.get("source")
    )
    owner = re.sub(r"\s+", " ", str(credits)) if credits and not isinstance(credits, dict | list) else ""
    if licence == "unknown":
        notes.todo.append("find out the licence: the source says that it is unknown, so you may not use the problem")
        return {}
    if licence not in LICENCES:
        notes.todo.append(f"ask the owner before you publish the problem: the licence is {licence!r}")
    if not owner and licence not in ("cc0", "public domain"):
        notes.todo.append("name the owner of the rights in `license`")
    return {"license": ", ".join(filter(None, [LICENCES.get(licence, licence), owner]))[:100]}
