"""Middleware around boxes: an ordered list of parts that see every launch and every run of a launcher's boxes."""

from collections.abc import Callable, Sequence
from functools import partial
from threading import Event

from sandbox.interface import Box, BoxSpec, Launcher, OnCase, Request, RunOutcome

Launch = Callable[[BoxSpec], Box]
Run = Callable[[Request, OnCase, Event], RunOutcome]


class BoxMiddleware:
    """A part of the list. Each method calls the next part, and passes on what it raises."""

    def launch(self, launch: Launch, spec: BoxSpec) -> Box:
        return launch(spec)

    def run(self, run: Run, box: Box, request: Request, on_case: OnCase, abort: Event) -> RunOutcome:  # noqa: ARG002
        return run(request, on_case, abort)


class LauncherWithMiddleware(Launcher):
    """A launcher whose boxes pass through `middleware`. The first part is the outermost."""

    def __init__(self, launcher: Launcher, middleware: Sequence[BoxMiddleware]) -> None:
        self.name = launcher.name
        self._launcher, self._innermost_first = launcher, tuple(reversed(middleware))

    def launch(self, spec: BoxSpec) -> Box:
        launch = self._launcher.launch
        for part in self._innermost_first:
            launch = partial(part.launch, launch)
        return _BoxWithMiddleware(launch(spec), self._innermost_first)


class _BoxWithMiddleware(Box):
    def __init__(self, box: Box, inwards: Sequence[BoxMiddleware]) -> None:
        self.name, self.ready = box.name, box.ready
        self._box, self._innermost_first = box, inwards

    def run(self, request: Request, on_case: OnCase, abort: Event) -> RunOutcome:
        run: Run = self._box.run
        for part in self._innermost_first:
            run = partial(part.run, run, self._box)
        return run(request, on_case, abort)

    def is_usable(self) -> bool:
        return self._box.is_usable()

    def close(self) -> None:
        self._box.close()
