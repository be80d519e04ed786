"""Import a problem package of Kattis or the ICPC: formats `legacy`, `legacy-icpc` and those from 2023-07 on.

A program becomes a function `main()`. A driver calls it with the case's input as standard input; the printed words are
the answer. Only Python programs and the default validator map. Statements in LaTeX become Markdown, and commands that
do not map are listed for the author.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from app.catalog.importing.imported import (
    Imported,
    ImportRefused,
    Notes,
    distinct,
    explained,
    name_of,
    slug_of,
    write_manifest,
    write_statement,
)
from app.catalog.importing.kattis_validator import Validator, read_validator, write_driver
from app.catalog.importing.program import NotMapped, SourceFolder, as_function, comment_of, open_folder
from app.catalog.yaml_document import read_document
from app.judging.text import lines_of

_COMMENT = re.compile(r"(?<!\\)%.*")
_MATH = re.compile(r"(\$\$.+?\$\$|\$.+?\$)", re.DOTALL)
_DISPLAY = re.compile(r"\\\[(.+?)\\\]", re.DOTALL)
_LEFT = re.compile(r"\\[a-zA-Z]+|\\(?:begin|end)\{\w+\*?\}")
_GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_RULES: tuple[tuple[str, str], ...] = (
    (rf"\\problemname{_GROUP}", ""),
    (rf"\\section\*?{_GROUP}", r"\n## \1\n"),
    (rf"\\subsection\*?{_GROUP}", r"\n### \1\n"),
    (rf"\\(?:emph|textit){_GROUP}", r"*\1*"),
    (rf"\\textbf{_GROUP}", r"**\1**"),
    (rf"\\texttt{_GROUP}", r"`\1`"),
    (r"\\verb(\W)(.+?)\1", r"`\2`"),
    (rf"\\href{_GROUP}{_GROUP}", r"[\2](\1)"),
    (rf"\\url{_GROUP}", r"<\1>"),
    (r"\\(?:begin|end)\{(?:itemize|enumerate|center|quote)\}(?:\[[^\]]*\])?", "\n"),
    (r"\n?[ \t]*\\item\s+", "\n- "),
    (r"\\(?:noindent|bigskip|medskip|smallskip|centering)\b", ""),
    (r"``|''", '"'),
    (r"---?", "–"),
    (r"~", " "),
    (r"\\\\", "\n"),
    (r"\\([%&_#{}])", r"\1"),
    (r"\n[ \t]+(?=[^-\s])", "\n"),
    (r"\n{3,}", "\n\n"),
)
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
_ADDED = re.compile(r"^\s*\{\{\s*\w+\s*\}\}\s*$|^\s*\\nextsample\s*$", re.MULTILINE)
_STARTER = '''import sys


def main():
    """Reads standard input and prints the answer."""
    raise NotImplementedError("replace this line with your solution")
'''


def to_markdown(text: str) -> tuple[str, list[str]]:
    """Convert LaTeX. Return the Markdown and the commands that are left in it."""
    text = _DISPLAY.sub(r"$$\1$$", _COMMENT.sub("", text))
    parts = _MATH.split(text)
    # Parts at odd positions are formulas.
    for index in range(0, len(parts), 2):
        for pattern, replacement in _RULES:
            parts[index] = re.sub(pattern, replacement, parts[index])
    left = sorted({found for part in parts[::2] for found in _LEFT.findall(part)})
    return "".join(parts).strip() + "\n", left


def title_of(text: str) -> str | None:
    plain = re.search(r"%%\s*plainproblemname:\s*(.+)", text)
    named = re.search(rf"\\problemname{_GROUP}", text)
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


def read_kattis(root: Path) -> Imported:
    """Raises ImportRefused."""
    folder, notes = open_folder(root), Notes()
    metadata = _metadata(folder)
    _require_batch(metadata)
    validator = read_validator(folder, metadata, notes)
    cases = _cases(folder, notes)
    programs = _programs(folder, notes)
    title, statement = _statement(folder, metadata, notes)
    content = _manifest(metadata, title, validator, cases, notes)
    files = {**programs, "statement.md": statement, "starter.py": _STARTER, "driver.py": write_driver(validator)}
    return Imported(
        slug=slug_of(root.resolve().name),
        files={**write_manifest(content, "Imported from a Kattis package.", notes), **files},
        left_out=tuple(notes.left_out),
        todo=tuple(notes.todo),
        answers={case.name: validator.words(case.answer) for case in cases if case.answer is not None},
    )


def _metadata(folder: SourceFolder) -> Mapping[str, Any]:
    if not folder.has("problem.yaml"):
        raise ImportRefused(f"{folder.root} has no problem.yaml: name the folder of a Kattis package")
    document = read_document("problem.yaml", folder.text("problem.yaml"))
    return document.content or {}


def _require_batch(metadata: Mapping[str, Any]) -> None:
    kinds = str(metadata.get("type", "")) + " " + str(metadata.get("validation", ""))
    for kind in UNMAPPED_TYPES:
        if kind in kinds.replace("score", "scoring"):
            raise ImportRefused(f"the problem is {kind}, which does not map: import a pass-fail problem with one run")


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
        cases.append(_Case(name, visibility, folder.text(path), folder.text(answer) if folder.has(answer) else None))
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
        if refusal := _refusal(parts, verdict):
            notes.left_out.append(f"{path}: {refusal}")
            continue
        try:
            program = _python_3(folder.text(path))
            source = as_function(program)
        except NotMapped as reason:
            notes.left_out.append(f"{path}: {reason}")
            continue
        target = f"submissions/{verdict}/{name_of(PurePosixPath(path).stem)}.py"
        if target in files:  # add.py and add.py3
            target = f"submissions/{verdict}/{name_of(parts[2])}.py"
        files[target] = source
        if verdict != "accepted":
            files[target] = explained(source, comment_of(program), notes, target)
    return {**files, **_reference(files, notes)}


def _refusal(parts: tuple[str, ...], verdict: str | None) -> str | None:
    if verdict is None:
        return f"{parts[1]} is not a known verdict"
    if len(parts) > 3:
        return "it has several files"
    if parts[-1].endswith(".py2"):
        return "it is Python 2"
    return None if parts[-1].endswith(PYTHON_3) else "it is not Python"


def _python_3(source: str) -> str:
    if source.startswith("#!") and "python2" in source.partition("\n")[0]:
        raise NotMapped("it is Python 2")
    return source.partition("\n")[2] if source.startswith("#!") else source


def _reference(files: Mapping[str, str], notes: Notes) -> dict[str, str]:
    accepted = [path for path in files if path.startswith("submissions/accepted/")]
    if not accepted:
        raise ImportRefused(
            "no program of submissions/accepted/ became a Python function for the reference: "
            "add one in Python 3 and import again; " + "; ".join(notes.left_out)
        )
    notes.todo.append(f"the reference is {accepted[0]}: replace it if another is clearer")
    if len(accepted) == 1:
        notes.todo.append("add a second accepted solution, written in another way")
    if any(path.startswith("submissions/wrong_answer/") for path in files):
        return {"reference.py": files[accepted[0]]}
    notes.todo.append("replace submissions/wrong_answer/stand_in.py by likely mistakes, each with its sentence")
    stand_in = '"""Mistake: prints nothing. TODO: replace this by a likely mistake."""\n\n\ndef main():\n    pass\n'
    return {"reference.py": files[accepted[0]], "submissions/wrong_answer/stand_in.py": stand_in}


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
        text, left = to_markdown(text)
        if left:
            notes.todo.append(f"rewrite in statement.md what is still LaTeX: {', '.join(left)}")
    notes.todo.append(f"write in statement.md that students write {_STARTER_NAME}, which reads input and prints")
    return str(title or folder.root.resolve().name), write_statement(_sections(text), notes)


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
    metadata: Mapping[str, Any], title: str, validator: Validator, cases: list[_Case], notes: Notes
) -> dict[str, Any]:
    notes.todo.append("set summary, difficulty and estimated_minutes: the source does not have them")
    limits = metadata.get("limits") if isinstance(metadata.get("limits"), dict) else {}
    assert isinstance(limits, dict)
    content: dict[str, Any] = {
        "title": title[:120],
        "summary": "TODO: describe the problem in one line.",
        "difficulty": "intermediate",
        "estimated_minutes": 30,
        "tags": _tags(metadata.get("keywords")),
        **_licence(metadata, notes),
        "frameworks": ["numpy"],
        "entry_point": "main",
        "parameters": [],
        "inputs": [{"name": "stdin", "type": "str", "doc": "what the program reads"}],
        "returns": {"type": "list" if validator.splits else "str", "doc": "what the program prints"},
        **({"tolerance": {"rtol": validator.rtol, "atol": validator.atol}} if validator.reads_numbers else {}),
        "limits": {"wall_seconds": _seconds(limits, notes), "memory_mib": _mebibytes(limits)},
        "cases": [
            {"name": case.name, "visibility": case.visibility, "inputs": {"stdin": case.stdin}} for case in cases
        ],
    }
    return content


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


def _seconds(limits: Mapping[str, Any], notes: Notes) -> float:
    given = limits.get("time_limit")
    if isinstance(given, int | float) and 0 < given <= 300:
        return float(given)
    notes.todo.append("set limits.wall_seconds: `allclose problem verify` suggests it from the slowest right solution")
    return 10.0


def _mebibytes(limits: Mapping[str, Any]) -> int:
    given = limits.get("memory")
    return min(max(int(given), 64), 65_536) if isinstance(given, int | float) else 1024
