"""The middleware that gives judgings and boxes their log context and metrics."""

import logging
import threading
import time
from dataclasses import dataclass

from sqlalchemy import func, select

from app import log
from app.database.engine import Database
from app.judging.finish import Finish
from app.queue.lease import Claim
from app.queue.retry import retry
from app.submissions.model import Judging
from app.submissions.priority import VISITOR
from app.worker.metrics import Meter
from app.worker.middleware import Judge, JudgingResult, Middleware
from sandbox.interface import Aborted, Box, BoxLost, BoxSpec, OnCase, Request, RunOutcome
from sandbox.middleware import BoxMiddleware, Launch
from sandbox.middleware import Run as RunBox

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """`kind`: interactive, when a student waits, rejudge, or visitor. `waited_seconds`: in the queue."""

    request_id: str | None
    queue: str
    kind: str
    waited_seconds: float


def _read_origin(database: Database, judging_id: int) -> Origin:
    waited = func.extract("epoch", Judging.started_at - Judging.queued_at)
    columns = select(Judging.request_id, Judging.queue, Judging.rejudging_id, Judging.priority, waited)
    with database.transaction() as session:
        request_id, queue, rejudging_id, priority, seconds = session.execute(
            columns.where(Judging.id == judging_id)
        ).one()
    kind = "visitor" if priority == VISITOR else "interactive" if rejudging_id is None else "rejudge"
    return Origin(request_id=request_id, queue=queue, kind=kind, waited_seconds=float(seconds or 0))


class JudgingTelemetry(Middleware):
    """Gives each judging its log context and metrics."""

    def __init__(self, database: Database, meter: Meter) -> None:
        self._database, self._meter = database, meter

    def around(self, judge: Judge, claim: Claim, abort: threading.Event) -> JudgingResult:
        log.submission_id.set(str(claim.submission_id))
        log.judging_id.set(claim.judging_id)
        log.attempt.set(claim.attempt)
        origin = retry(lambda: _read_origin(self._database, claim.judging_id), abort)
        log.request_id.set(origin.request_id)
        if claim.attempt == 1:
            self._meter.waits.labels(origin.queue, origin.kind).observe(origin.waited_seconds)
        begun = time.monotonic()
        try:
            judged = judge(claim, abort)
        except Exception as error:
            if not isinstance(error, Aborted):
                self._meter.count_error(error)
            raise
        if judged.is_written:
            _count_judging(origin, judged.finish, time.monotonic() - begun, self._meter)
        return judged


def _count_judging(origin: Origin, judged: Finish, seconds: float, meter: Meter) -> None:
    meter.judgings.labels(origin.queue, origin.kind, str(judged.verdict)).inc()
    meter.seconds.labels(origin.queue, origin.kind).observe(seconds)
    for phase, spent in judged.spent.items():
        meter.phases.labels(phase).observe(spent)
    _log.info("judged: %s in %.2f s", judged.verdict, seconds, extra={"verdict": str(judged.verdict)})


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
