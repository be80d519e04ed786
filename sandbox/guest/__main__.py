"""The entry point of a box: `python -m sandbox.guest SETTINGS`.

Two things come before any other import: giving up root, because imports run code, and setting the cores, because
libraries size their thread pools by them.
"""

import importlib
import os
import sys
from dataclasses import replace

from sandbox.guest import system_calls
from sandbox.guest.wire import Settings


def become_nobody(uid: int) -> None:
    """Give up root: bubblewrap started by root leaves the payload root of the host."""
    system_calls.empty_bounding_set()
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    system_calls.drop_capabilities()
    system_calls.forbid_new_privileges()
    system_calls.set_dumpable(is_dumpable=False)


settings = Settings.from_json(sys.argv[1])
all_cores = tuple(sorted(os.sched_getaffinity(0)))
if not set(settings.cores) <= set(all_cores):  # gVisor renumbers its cores
    settings = replace(settings, cores=all_cores[: len(settings.cores)])
os.sched_setaffinity(0, settings.cores)
become_nobody(settings.uid)
importlib.import_module("sandbox.guest.zygote").live(settings, all_cores)
