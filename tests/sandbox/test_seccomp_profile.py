"""The JSON that a container engine gets says the same as the program that bubblewrap gets, call for call.

What an engine makes of it in truth is tried in `test_syscalls.py`, in its boxes.
"""

import errno
import json
from typing import Any

import pytest

from sandbox.docker.seccomp_profile import ARCHITECTURE, docker_profile
from sandbox.guest import seccomp_filter as bpf
from sandbox.guest.seccomp_filter import CLONE_NEW_ANY, box_filter, numbers
from tests.sandbox.test_bpf import ALLOWED, decide, run_program

MACHINES = ("x86_64", "aarch64")
FLAGS = [0, 17, 0x3D0F00, 0x1200011, *(1 << bit for bit in range(64)), CLONE_NEW_ANY, 2**32 - 1, 2**64 - 1]
ARGUMENTS = [(0,), (2**64 - 1,) * 6, (0, 4096, 3, 0x21), (1, 0x5412), *((flags,) for flags in FLAGS)]


def answer(profile: dict[str, Any], name: str | None, arguments: tuple[int, ...]) -> str | int:
    """Return the kernel's action: allow, or fail with an errno. Two entries that differ on a call are a fault."""
    entries = [entry for entry in profile["syscalls"] if name in entry["names"] and holds(entry, arguments)]
    answers = {ALLOWED if entry["action"] == "SCMP_ACT_ALLOW" else errno_in(entry) for entry in entries}
    assert len(answers) <= 1, (name, answers)
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    return answers.pop() if answers else int(profile["defaultErrnoRet"])


def holds(entry: dict[str, Any], arguments: tuple[int, ...]) -> bool:
    """All conditions of an entry; one without any always. The library compares whole registers."""
    given = [*arguments, 0, 0, 0, 0, 0, 0]
    return all(compare(given[argument["index"]], argument) for argument in entry.get("args", ()))


def compare(given: int, argument: dict[str, Any]) -> bool:
    assert argument["op"] == "SCMP_CMP_MASKED_EQ"
    return bool(given & argument["value"] == argument["valueTwo"])


def errno_in(entry: dict[str, Any]) -> int:
    assert entry["action"] == "SCMP_ACT_ERRNO"
    return int(entry["errnoRet"])


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("namespaces", [True, False])
@pytest.mark.parametrize("gpu", [True, False])
def test_profile_and_program_say_the_same_of_every_call(machine: str, namespaces: bool, gpu: bool) -> None:
    profile = json.loads(docker_profile(namespaces=namespaces, gpu=gpu, machine=machine))
    table = box_filter(namespaces=namespaces, gpu=gpu)
    program = bpf.assemble(table, machine)
    names = {number: name for name, number in numbers(machine).items()}

    for number in range(1024):
        name = names.get(number)
        for arguments in ARGUMENTS if name in table.rules else ARGUMENTS[:2]:
            said = answer(profile, name, arguments)
            assert said == run_program(program, machine, number, *arguments), (name or number, arguments)


def test_profile_and_program_differ_in_something_at_all() -> None:
    """The comparison above would see a difference: with namespaces is not without."""
    profile = json.loads(docker_profile(namespaces=True))

    assert answer(profile, "unshare", ()) == ALLOWED
    assert decide(box_filter(namespaces=False), "x86_64", numbers("x86_64")["unshare"]) == errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_profile_permits_no_other_architecture(machine: str) -> None:
    """The library then ends a process that makes a call of another one: 32-bit calls and those of x32."""
    profile = json.loads(docker_profile(namespaces=True, machine=machine))

    assert profile["archMap"] == [{"architecture": ARCHITECTURE[machine], "subArchitectures": []}]
