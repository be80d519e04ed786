"""All metrics for Prometheus as one text: the web process's, the queue's, and each worker's.

Workers listen on no port. Each writes its metrics to the database with every heartbeat (`app.worker.telemetry`), and
they get the label `worker` here.

To add a metric, register it where it is counted: `app/api/request_log.py` for requests, `app/worker/telemetry.py` for
judging, a gauge here for what the database knows. Labels have few values. If a person should be woken, add an alert
with its action to `docs/operations/monitoring.md`.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample
from sqlalchemy import QueuePool, func, select
from sqlalchemy.orm import Session

from app.admin.queue import QUEUES, QueueView, count_queues
from app.admin.worker import WorkerView, list_workers
from app.audit import find_last
from app.database.disk import free_bytes
from app.database.engine import OVERFLOW, Database
from app.queue.heartbeat import ALIVE
from app.queue.model import WorkerRow
from app.submissions.cause import IS_ERROR
from app.submissions.model import Judging

_log = logging.getLogger(__name__)


def write_metrics(own: CollectorRegistry, database: Database, data: Path, *, is_full: bool) -> bytes:
    """Return all metrics in the text format of Prometheus. `is_full`: the database's disk."""
    with database.transaction() as session:
        queues, workers = count_queues(session), list_workers(session)
        texts, errors = _read_texts(session), _count_judge_errors(session)
        last_backup = find_last(session, "backup.written")
    families = [*own.collect(), *_of_queues(queues), *_of_workers(workers), *_of_pool(database)]
    families += [_build(), _gauge("allclose_judge_errors_open", "Submissions whose verdict is judge_error", errors)]
    families += [
        _gauge("allclose_disk_full", "1 while nothing can be saved, because the database's disk is full", is_full),
        _gauge("allclose_disk_free_bytes", "Free space on the data folder's disk", free_bytes(data.absolute())),
    ]
    written_at = last_backup.timestamp() if last_backup else 0.0
    families.append(
        _gauge("allclose_last_backup_timestamp_seconds", "Time of the last backup; 0 without one", written_at)
    )
    for name, text in texts:
        families += _labelled(name, text)
    registry = CollectorRegistry()
    registry.register(_MergedMetrics(families))
    return generate_latest(registry)


class _MergedMetrics(Collector):
    """Merges families of the same name. The start times of counters are left out."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families: dict[str, Metric] = {}
        for family in families:
            if family.name.endswith("_created"):
                continue
            merged = self._families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
            merged.samples += [sample for sample in family.samples if not sample.name.endswith("_created")]

    def collect(self) -> Iterable[Metric]:
        return self._families.values()


def _labelled(worker: str, text: str) -> list[Metric]:
    """Return a worker's metrics, or none if they can't be parsed: another version must not hide the other workers."""
    try:
        families = list(text_string_to_metric_families(text))
    except ValueError:
        _log.warning("the metrics of worker %s can't be read", worker)
        return []
    for family in families:
        family.samples = [
            Sample(sample.name, {**sample.labels, "worker": worker}, sample.value) for sample in family.samples
        ]
    return families


def _read_texts(session: Session) -> list[tuple[str, str]]:
    """Return the name and metrics of each worker that is alive."""
    own = select(WorkerRow.name, WorkerRow.metrics)
    alive = own.where(WorkerRow.seen_at > func.now() - ALIVE, WorkerRow.metrics != "")
    return [(name, text) for name, text in session.execute(alive.order_by(WorkerRow.name))]


def _count_judge_errors(session: Session) -> int:
    current = select(func.count()).where(IS_ERROR, Judging.is_current)
    return session.scalars(current).one()


def _of_queues(queues: Sequence[QueueView]) -> list[Metric]:
    labels = ["queue", "kind"]
    depth = GaugeMetricFamily("allclose_queue_depth", "Waiting judgings", labels=labels)
    oldest = GaugeMetricFamily("allclose_queue_oldest_age_seconds", "Age of the longest waiting judging", labels=labels)
    running = GaugeMetricFamily("allclose_judgings_running", "Running judgings", labels=labels)
    for view in queues:
        names = [view.queue, view.kind]
        depth.add_metric(names, view.depth)
        oldest.add_metric(names, view.oldest_seconds)
        running.add_metric(names, view.running)
    return [depth, oldest, running]


def _of_workers(workers: Sequence[WorkerView]) -> list[Metric]:
    family = GaugeMetricFamily("allclose_workers", "Workers by state", labels=["queue", "state"])
    counts = Counter((queue, worker.state) for worker in workers for queue in worker.queues)
    for queue in QUEUES:
        for state in ("alive", "no_boxes", "draining", "away", "dead"):
            family.add_metric([queue, state], counts[queue, state])
    return [family]


def _of_pool(database: Database) -> list[Metric]:
    """Return the metrics of the web process's connection pool."""
    pool = database.engine.pool
    assert isinstance(pool, QueuePool)
    family = GaugeMetricFamily("allclose_database_connections", "Connections of the web process", labels=["state"])
    family.add_metric(["in_use"], pool.checkedout())
    family.add_metric(["idle"], pool.checkedin())
    return [
        family,
        _gauge("allclose_database_connections_limit", "Most connections of the web process", pool.size() + OVERFLOW),
    ]


def _build() -> Metric:
    family = GaugeMetricFamily("allclose_build_info", "Version of the web process", labels=["version"])
    family.add_metric([version("allclose")], 1)
    return family


def _gauge(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(name, words, value=value)
