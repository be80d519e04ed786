"""A file under `submissions/`: a program whose first lines state its mechanism and the verdict that it must get.

# mechanism: in a line
# verdict: runtime_error        or two, joined by |, where either is right
# problem: softmax              of `problems/`; standardise, if the line is missing
# message: use threads          what the sample case must tell the student, if the line is there
"""

import re
from dataclasses import dataclass
from pathlib import Path

from app.judging.verdicts import Verdict

SUBMISSIONS = Path(__file__).parent / "submissions"
FILES = sorted(SUBMISSIONS.glob("*/*.py"))
HEADER = re.compile(r"# (?P<key>\w+): (?P<value>.+?)\r?\n")
KEYS = {"mechanism", "verdict", "problem", "seconds", "message"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    group: str
    name: str
    problem: str
    verdicts: frozenset[Verdict]
    seconds: float | None
    message: str
    source: str


def read_mechanism(file: Path) -> Mechanism:
    """Raises KeyError or ValueError for a header that is not one."""
    source = file.read_bytes().decode()
    header = _header(source)
    if not {"mechanism", "verdict"} <= header.keys() <= KEYS:
        raise ValueError(f"{file}: a header has a mechanism and a verdict, not {sorted(header)}")
    return Mechanism(
        group=file.parent.name,
        name=file.stem,
        problem=header.get("problem", "standardise"),
        verdicts=frozenset(map(Verdict, header["verdict"].split("|"))),
        seconds=float(header["seconds"]) if "seconds" in header else None,
        message=header.get("message", ""),
        source=source,
    )


def _header(source: str) -> dict[str, str]:
    header: dict[str, str] = {}
    text = source.removeprefix("\ufeff")
    while found := HEADER.match(text):
        header[found["key"]] = found["value"]
        text = text[found.end() :]
    return header
