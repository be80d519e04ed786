"""The worker's metrics in Prometheus's format, and the middleware that gives judgings and boxes their log context.

Workers listen on no port: the web process serves the metrics (`app.admin.metrics`).
"""

import logging
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from app import log
from app.queue.heartbeat import Report
from app.submissions.judging_record import JudgingClaim
from app.worker.middleware import Judge, JudgingResult, Middleware
from sandbox.box_middleware import BoxMiddleware, Launch
from sandbox.box_middleware import Run as RunBox
from sandbox.gpu.gpu_lease import Gpus
from sandbox.interface import (
    Aborted,
    Box,
    BoxLost,
    BoxSpec,
    OnCase,
    Ready,
    Request,
    RunOutcome,
    SandboxError,
)
from sandbox.pool import Pool

_log = logging.getLogger(__name__)

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300)
_WAITS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800)


class Meter:
    """Label `use`: the purpose of boxes: submissions, background (rejudges) or references."""

    def __init__(self, *, slots: int, gpus: Gpus | None = None) -> None:
        self.registry = registry = CollectorRegistry()
        self._gauges = _Gauges(slots, gpus)
        self._versions: dict[str, str] = {}
        registry.register(self._gauges)
        ProcessCollector(registry=registry)
        self.judgings = Counter(
            "allclose_judgings", "Judgings that came to a verdict", ["queue", "kind", "verdict"], registry=registry
        )
        self.seconds = Histogram(
            "allclose_judging_duration_seconds",
            "From a judging's claim to its verdict",
            ["queue", "kind"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.waits = Histogram(
            "allclose_judging_wait_seconds",
            "From a judging's entry into the queue to the claim of its first attempt",
            ["queue", "kind"],
            buckets=_WAITS,
            registry=registry,
        )
        self.phases = Histogram(
            "allclose_judging_phase_duration_seconds",
            "Duration of a judging's phases",
            ["phase"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._errors = Counter("allclose_errors", "Internal errors, by class", ["part", "kind"], registry=registry)
        self.opened = Counter("allclose_boxes_opened", "Boxes that were opened", ["use"], registry=registry)
        self.lost = Counter("allclose_boxes_lost", "Boxes that died or broke the protocol", ["use"], registry=registry)
        for use in ("submissions", "background", "references"):
            self.opened.labels(use)
            self.lost.labels(use)

    def count_error(self, error: Exception) -> None:
        self._errors.labels("worker", type(error).__name__).inc()

    def watch_pools(self, use: str, *pools: Pool) -> None:
        self._gauges.pools = {**self._gauges.pools, use: pools}

    def see(self, ready: Ready) -> None:
        """Note the versions in a box that was just opened."""
        self._versions = {**self._versions, "python": ready.python, **ready.versions}

    def report(self) -> Report:
        metrics = generate_latest(self.registry).decode()
        return Report(boxes=self._gauges.totals(), versions=self._versions, metrics=metrics)


class _Gauges(Collector):
    """Current slots, boxes by state, and GPUs."""

    def __init__(self, slots: int, gpus: Gpus | None) -> None:
        self._slots, self._gpus = slots, gpus
        self.pools: Mapping[str, Sequence[Pool]] = {}

    def collect(self) -> Iterable[Metric]:
        slots = GaugeMetricFamily("allclose_worker_slots", "Judgings that a worker runs at once")
        slots.add_metric([], self._slots)
        boxes = GaugeMetricFamily("allclose_boxes", "Boxes by use and state", labels=["use", "state"])
        for use, pools in self.pools.items():
            for state, count in _count(pools).items():
                boxes.add_metric([use, state], count)
        return [slots, boxes, *self._gpu_families()]

    def totals(self) -> dict[str, int]:
        return _count([pool for pools in self.pools.values() for pool in pools])

    def _gpu_families(self) -> list[Metric]:
        labels = ["gpu", "name"]
        busy = GaugeMetricFamily("allclose_gpu_busy", "1 while a run has the GPU", labels=labels)
        waiting = GaugeMetricFamily("allclose_gpu_waiting", "Runs that wait for the GPU", labels=labels)
        lost = GaugeMetricFamily("allclose_gpu_lost", "1 once the GPU no longer answers", labels=labels)
        used = GaugeMetricFamily("allclose_gpu_memory_used_bytes", "GPU memory in use", labels=labels)
        total = GaugeMetricFamily("allclose_gpu_memory_bytes", "Total GPU memory", labels=labels)
        for gpu in self._gpus.gpus if self._gpus else ():
            assert self._gpus is not None
            names, length = [str(gpu.index), gpu.name], self._gpus.queue_length(gpu)
            busy.add_metric(names, min(length, 1))
            waiting.add_metric(names, max(length - 1, 0))
            total.add_metric(names, gpu.memory_bytes)
            with suppress(SandboxError):  # reported as lost
                used.add_metric(names, self._gpus.use_of(gpu).memory_bytes)
            lost.add_metric(names, self._gpus.is_lost(gpu))
        return [busy, waiting, lost, used, total]


def _count(pools: Iterable[Pool]) -> dict[str, int]:
    counts = [pool.count() for pool in pools]
    return {
        "ready": sum(each.ready for each in counts),
        "busy": sum(each.busy for each in counts),
        "starting": sum(each.starting for each in counts),
    }


class JudgingTelemetry(Middleware):
    """Gives each judging its log context and metrics."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def around(self, judge: Judge, claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        log.submission_id.set(str(claim.submission_id))
        log.judging_id.set(claim.judging_id)
        log.attempt.set(claim.attempt)
        begun = time.monotonic()
        try:
            judged = judge(claim, abort)
        except Exception as error:
            if not isinstance(error, Aborted):
                self._meter.count_error(error)
            raise
        if judged.is_written:
            self._count(judged, time.monotonic() - begun)
        return judged

    def _count(self, judged: JudgingResult, seconds: float) -> None:
        finish, of_kind = judged.finish, (judged.work.queue, judged.work.kind)
        if judged.claim.attempt == 1:
            self._meter.waits.labels(*of_kind).observe(judged.work.waited_seconds)
        self._meter.judgings.labels(*of_kind, str(finish.verdict)).inc()
        self._meter.seconds.labels(*of_kind).observe(seconds)
        for phase, spent in finish.spent.items():
            self._meter.phases.labels(phase).observe(spent)
        _log.info("judged: %s in %.2f s", finish.verdict, seconds, extra={"verdict": str(finish.verdict)})


class BoxTelemetry(BoxMiddleware):
    """Counts launches and lost boxes, and names the last box in the log. `use`: the boxes' purpose."""

    def __init__(self, use: str, meter: Meter) -> None:
        self._use, self._meter = use, meter

    def launch(self, launch: Launch, spec: BoxSpec) -> Box:
        box = launch(spec)
        self._meter.opened.labels(self._use).inc()
        self._meter.see(box.ready)
        return box

    def run(self, run: RunBox, box: Box, request: Request, on_case: OnCase, abort: threading.Event) -> RunOutcome:
        log.box.set(box.name)
        try:
            return run(request, on_case, abort)
        except BoxLost:
            self._meter.lost.labels(self._use).inc()
            raise
