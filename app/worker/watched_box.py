"""Boxes with metrics, traces and log context: counts openings, runs and losses, and names the last box used."""

import threading
from collections.abc import Callable

from app.telemetry import context
from app.telemetry.trace import TRACER
from app.worker.metrics import Meter
from sandbox.interface import Box, BoxLost, BoxSpec, CaseOutcome, Launcher, Request, RunOutcome, Setup


class WatchedLauncher(Launcher):
    """`use`: the purpose of its boxes."""

    def __init__(self, launcher: Launcher, use: str, meter: Meter) -> None:
        self.name = launcher.name
        self._launcher, self._use, self._meter = launcher, use, meter

    def launch(self, spec: BoxSpec) -> Box:
        with TRACER.start_as_current_span("open a box") as span:
            box = self._launcher.launch(spec)
            span.set_attributes({"allclose.box": box.name, "allclose.frameworks": list(spec.frameworks)})
        self._meter.opened.labels(self._use).inc()
        self._meter.see(box.ready)
        return WatchedBox(box, self._use, self._meter)


class WatchedBox(Box):
    def __init__(self, box: Box, use: str, meter: Meter) -> None:
        self.name, self.ready = box.name, box.ready
        self._box, self._use, self._meter = box, use, meter

    def run(self, request: Request, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        context.box.set(self.name)
        with TRACER.start_as_current_span("run in a box") as span:
            span.set_attributes({"allclose.box": self.name, "allclose.use": self._use})
            span.set_attribute("allclose.cases", len(request.cases))
            try:
                return self._box.run(request, on_case, abort)
            except BoxLost:
                self._meter.lost.labels(self._use).inc()
                raise

    @property
    def spare(self) -> Setup | None:  # type: ignore[override]  # read only
        return self._box.spare

    def prepare(self, setup: Setup, abort: threading.Event) -> None:
        self._box.prepare(setup, abort)

    def is_alive(self) -> bool:
        return self._box.is_alive()

    def close(self) -> None:
        self._box.close()
