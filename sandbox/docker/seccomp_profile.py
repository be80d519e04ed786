"""The box's filter as a container engine takes it: the same table as the BPF program's, written as JSON.

A profile has no word for "refused, unless": a call whose arguments do not pass is answered as unknown ones are.
"""

import errno
import json
import platform
from collections import defaultdict
from typing import Any

from sandbox.guest.seccomp_filter import Filter, Test, box_filter

ARCHITECTURE = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}


def docker_profile(*, namespaces: bool, gpu: bool = False, machine: str = platform.machine()) -> str:
    """The content of a seccomp profile. Names that the engine's library does not know are refused as unknown calls."""
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
