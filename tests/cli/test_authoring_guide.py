"""A new author follows `docs/authoring.md`, and nothing else, to a published problem with a solved submission."""

import re
from pathlib import Path

import pytest

from tests.cli.authoring_session import GUIDE, read_steps, replay

# Figures, times, digests and the ids of submissions differ from run to run.
_VARYING = re.compile(
    r"\b[0-9a-f]{12}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|(< )?[-+]?\d+(,\d{3})*(\.\d+)?(e[-+]?\d+)?( m?s\b)?"
)


def told(lines: tuple[str, ...]) -> list[str]:
    """Lines of which only the words are compared."""
    words = (" ".join(_VARYING.sub("N", line).split()) for line in lines)
    return [line for line in words if line]


@pytest.mark.whole
@pytest.mark.timeout(900)
def test_the_session_of_the_guide_prints_what_the_guide_shows(tmp_path: Path) -> None:
    documented = read_steps(GUIDE.read_text())

    done = replay(documented, tmp_path)

    for shown, real in zip(documented, done, strict=True):
        missing = [line for line in told(shown.printed) if line not in told(real.printed)]
        assert missing == [], f"$ {shown.text}\n" + "\n".join(real.printed)
    last = "\n".join(line for step in done[-3:] for line in step.printed)
    assert "Accepted – 5 of 5 cases accepted" in last
