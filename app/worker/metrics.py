"""The worker's metrics in Prometheus's format, and the log context and trace of each judging.

Workers listen on no port: the web process serves the metrics (`app.admin.metrics`).
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from app.queue.heartbeat import Report
from sandbox.gpu.lease import Gpus
from sandbox.interface import Ready, SandboxError
from sandbox.pool import Pool

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
            "From a judging's entry into the queue to its first claim",
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
