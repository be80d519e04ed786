"""Telling whether another process is alive."""

import json
import os
import subprocess
import sys

import pytest

from sandbox.docker.orphans import is_dead, this_process
from tests.sandbox.ordinary_user import PROJECT

AS_ANOTHER_USER = """
import sys
from sandbox.guest import system_calls
from sandbox.docker.orphans import is_dead
from tests.sandbox.ordinary_user import become_ordinary
system_calls.unshare(system_calls.CLONE_NEWNS)
system_calls.mount("none", "/", None, system_calls.MS_REC | system_calls.MS_PRIVATE)
system_calls.mount("proc", "/proc", "proc", 0, sys.argv[2])
become_ordinary()
print(is_dead(sys.argv[1]))
"""


def test_a_worker_whose_pid_was_reused_is_dead() -> None:
    label = json.loads(this_process())

    assert not is_dead(json.dumps(label))
    assert is_dead(json.dumps(label | {"started": "1"}))


@pytest.mark.parametrize("elsewhere", ["host", "boot", "namespace"])
def test_a_worker_that_cannot_be_seen_from_here_is_not_called_dead(elsewhere: str) -> None:
    label = json.loads(this_process()) | {elsewhere: "another", "pid": 2**22 + 1}

    assert not is_dead(json.dumps(label))


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a /proc takes root")
@pytest.mark.parametrize("option", ["hidepid=0", "hidepid=2"])
def test_another_user_s_worker_is_alive_even_where_proc_hides_it(option: str) -> None:
    command = [sys.executable, "-c", AS_ANOTHER_USER, this_process(), option]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}

    said = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True).stdout

    assert said == "False\n"
