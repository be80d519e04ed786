"""The terminal session of `docs/authoring.md`, run as a reader would run it.

A block `console` holds commands after `$ ` (going on after `> `) with what they print; one with `file=PATH` is a file
to write, and a block `diff` a change to apply. Where `^C` stands last, the command is ended so, once it has printed
what stands before.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.settings import ROOT
from tests.serving import Served, serve

GUIDE = ROOT / "docs" / "authoring.md"
# A server has problems; one that is quickly prepared will do.
OTHER_PROBLEM = ROOT / "app" / "catalog" / "template"
END = "\x1e"
INTERRUPTED = "^C"
# A worker logs this when it has prepared a problem that was published.
PREPARED = "can be recognised"
PREPARED_SECONDS = 120
ANY_PORT = ("--port", "0")  # the default one may be taken
_FENCE = re.compile(r"^```(\w+)(?: file=(\S+))?$")


@dataclass(frozen=True, slots=True)
class Step:
    """`kind`: `console`, `diff` or `file`. `text`: the command, the change or the file. `printed`: what follows it."""

    kind: str
    text: str
    path: str = ""
    printed: tuple[str, ...] = ()


def read_steps(guide: str) -> list[Step]:
    return [step for kind, path, lines in _blocks(guide) for step in _steps(kind, path, lines)]


def _blocks(guide: str) -> Iterator[tuple[str, str, list[str]]]:
    lines = iter(guide.splitlines())
    for line in lines:
        if match := _FENCE.match(line):
            body = []
            for inner in lines:
                if inner == "```":
                    break
                body.append(inner)
            yield match[1], match[2] or "", body


def _steps(kind: str, path: str, lines: list[str]) -> Iterator[Step]:
    if path or kind == "diff":
        yield Step("file" if path else "diff", "\n".join(lines) + "\n", path)
    elif kind == "console":
        yield from _commands(lines)


def _commands(lines: list[str]) -> list[Step]:
    steps: list[Step] = []
    for line in lines:
        if line.startswith("$ "):
            steps.append(Step("console", line[2:]))
        elif line.startswith("> ") and not steps[-1].printed:
            steps[-1] = replace(steps[-1], text=f"{steps[-1].text}\n{line[2:]}")
        else:
            steps[-1] = replace(steps[-1], printed=(*steps[-1].printed, line))
    return steps


def replay(steps: list[Step], folder: Path) -> list[Step]:
    """The same steps with what the commands print now, beside a server of this machine."""
    problems, work = folder / "problems", folder / "work"
    shutil.copytree(OTHER_PROBLEM, problems / "standardise_columns")
    work.mkdir()
    with serve(folder / "data", {"ALLCLOSE_PROBLEMS": str(problems)}) as served:
        shell = _Shell(served, folder, work)
        try:
            return [_take(step, shell, work) for step in steps]
        finally:
            shell.close()


def _take(step: Step, shell: "_Shell", work: Path) -> Step:
    if step.kind == "file":
        (work / step.path).parent.mkdir(parents=True, exist_ok=True)
        (work / step.path).write_text(step.text)
    elif step.kind == "diff":
        subprocess.run(["git", "apply", "-"], input=step.text, text=True, cwd=work, check=True)
    elif step.text.startswith("allclose submit"):
        shell.wait_for_hints()
        return replace(step, printed=shell.run(step.text))
    elif step.printed[-1:] == (INTERRUPTED,):
        return replace(step, printed=(*shell.interrupt(step.text, len(step.printed) - 1), INTERRUPTED))
    else:
        return replace(step, printed=shell.run(step.text))
    return step


class _Shell:
    """One bash from the first command to the last."""

    def __init__(self, served: Served, folder: Path, work: Path) -> None:
        self._hidden = {served.url: "http://127.0.0.1:8000", str(folder): "~"}
        self._served, self._work = served, work
        self._environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "COLUMNS": "110",
            "PYTHONUNBUFFERED": "1",
            "PYTHONPATH": str(ROOT),
            "ALLCLOSE_SERVER": served.url,
            "ALLCLOSE_DATA": str(folder / "data"),
            **{name: value for name, value in os.environ.items() if name in ("ALLCLOSE_SANDBOX", "ALLCLOSE_RUNTIME")},
        }
        self._process = subprocess.Popen(
            ["bash", "--norc"], text=True, stdin=-1, stdout=-1, stderr=subprocess.STDOUT, **self._place
        )

    @property
    def _place(self) -> dict[str, Any]:
        return {"cwd": self._work, "env": self._environment}

    def interrupt(self, command: str, lines: int) -> tuple[str, ...]:
        """Run a command that never ends, interrupt it, and return its first lines."""
        running = subprocess.Popen([*shlex.split(command), *ANY_PORT], text=True, stdout=-1, **self._place)
        assert running.stdout is not None
        printed = [running.stdout.readline() for _ in range(lines)]
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
        return tuple(re.sub(r"(?<=127\.0\.0\.1:)\d+", "8001", self._shown(line)) for line in printed)

    def wait_for_hints(self) -> None:
        """Wait for the hints of the published problem: a worker prepares them faster than a reader solves it."""
        deadline = time.monotonic() + PREPARED_SECONDS
        while PREPARED not in self._served.text and time.monotonic() < deadline:
            time.sleep(0.2)

    def run(self, command: str) -> tuple[str, ...]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{command}\nprintf '\\n{END}\\n'\n")
        stdin.flush()
        lines: list[str] = []
        for line in stdout:
            if line.startswith(END):
                break
            lines.append(self._shown(line))
        # The guide does not depend on the host's sandbox.
        kept = "\n".join(line for line in lines if not line.startswith("Using bubblewrap for boxes"))
        return tuple(kept.strip("\n").splitlines())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)

    def _shown(self, line: str) -> str:
        for real, shown in self._hidden.items():
            line = line.replace(real, shown)
        return line.rstrip()
