"""The launcher and the pools of boxes that the settings ask for."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from app.settings import Settings
from sandbox.choice import choose_launcher
from sandbox.interface import Launcher
from sandbox.pool import Pool

# Boxes of other kinds that wait, beside one in every slot; about 150 MiB of memory each.
WAITING = 6
# Reference solutions run one after another, in boxes that hold nothing else and are never evicted mid-way.
REFERENCES = 2


def open_launcher(settings: Settings) -> Launcher:
    """Raises SandboxUnavailable: without a sandbox nothing is judged."""
    cache = settings.data / "compilation-cache"
    return choose_launcher(settings.sandbox, settings.runtime, isolation=settings.isolation, cache_folder=cache)


@contextmanager
def open_pool(settings: Settings, launcher: Launcher) -> Iterator[Pool]:
    """For submissions."""
    with closing(Pool(launcher, capacity=settings.worker_slots + WAITING, max_runs=settings.max_runs)) as pool:
        yield pool


@contextmanager
def open_reference_pool(settings: Settings, launcher: Launcher) -> Iterator[Pool]:
    """For the packages' own code: its boxes never hold a submission."""
    with closing(Pool(launcher, capacity=REFERENCES, max_runs=settings.max_runs)) as pool:
        yield pool
