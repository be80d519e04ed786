"""Entry points apply the settings of the log."""

import json
import os
import subprocess
import sys


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, env={**os.environ, **settings}, capture_output=True, text=True, timeout=120)


def test_lines_below_the_level_are_not_written() -> None:
    code = (
        "import logging; from app.log import configure_log; configure_log('json', 'warning', 'serve');"
        "logging.getLogger('a').info('no'); logging.getLogger('a').warning('yes')"
    )

    ended = run(sys.executable, "-c", code)

    assert [json.loads(line)["message"] for line in ended.stderr.splitlines()] == ["yes"]
