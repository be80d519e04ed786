"""The box's system call filter as a Docker seccomp profile, from the same table as the BPF program.

A profile can't express "refuse unless": a call whose arguments do not match gets the answer of unknown calls.
"""

import errno
import json
import platform
from collections import defaultdict
from typing import Any

from sandbox.guest.seccomp_filter import Filter, Test, box_filter

ARCHITECTURE = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}


def docker_profile(*, namespaces: bool, gpu: bool = False, machine: str = platform.machine()) -> str:
    """Return a profile as JSON. The engine refuses names that its library does not know as unknown calls."""
    wanted = box_filter(namespaces=namespaces, gpu=gpu)
    profile = {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": errno.ENOSYS,
        "archMap": [{"architecture": ARCHITECTURE[machine], "subArchitectures": []}],
        "syscalls": [
            {"names": sorted(wanted.allowed), "action": "SCMP_ACT_ALLOW"},
            *(_conditional(name, tests) for name, rule in wanted.rules.items() for tests in rule.alternatives),
            *_refused(wanted),
        ],
    }
    return json.dumps(profile)


def _conditional(name: str, tests: tuple[Test, ...]) -> dict[str, Any]:
    return {"names": [name], "action": "SCMP_ACT_ALLOW", "args": [_argument(test) for test in tests]}


def _argument(test: Test) -> dict[str, Any]:
    return {"index": test.argument, "op": "SCMP_CMP_MASKED_EQ", "value": test.mask, "valueTwo": test.value}


def _refused(wanted: Filter) -> list[dict[str, Any]]:
    names: defaultdict[int, list[str]] = defaultdict(list)
    for name, number in wanted.refused.items():
        names[number].append(name)
    return [
        {"names": sorted(listed), "action": "SCMP_ACT_ERRNO", "errnoRet": number}
        for number, listed in sorted(names.items())
    ]
