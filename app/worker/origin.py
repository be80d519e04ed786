"""Where a judging comes from, and what is said and measured of it: log, trace and metrics of one attempt."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from opentelemetry.trace import SpanKind
from sqlalchemy import func, select

from app.database import Database
from app.submissions.model import Judging
from app.telemetry import context
from app.telemetry.trace import TRACER, read_traceparent
from app.worker.finish import Finish
from app.worker.lease import Claim
from app.worker.lease_loop import Run
from app.worker.meter import Meter
from app.worker.retry import retry
from sandbox.interface import Aborted

_log = logging.getLogger(__name__)

Judge = Callable[[Claim, threading.Event], Finish]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """`kind`: interactive, where somebody waits, or rejudge. `waited_seconds`: in the queue."""

    request_id: str | None
    traceparent: str | None
    queue: str
    kind: str
    waited_seconds: float


def _read_origin(database: Database, judging_id: int) -> Origin:
    waited = func.extract("epoch", Judging.started_at - Judging.queued_at)
    columns = select(Judging.request_id, Judging.traceparent, Judging.queue, Judging.rejudging_id, waited)
    with database.transaction() as session:
        request_id, traceparent, queue, rejudging_id, seconds = session.execute(
            columns.where(Judging.id == judging_id)
        ).one()
    kind = "interactive" if rejudging_id is None else "rejudge"
    return Origin(
        request_id=request_id, traceparent=traceparent, queue=queue, kind=kind, waited_seconds=float(seconds or 0)
    )


def followed(judge: Judge, database: Database, meter: Meter) -> Run:
    """Judges in a thread of the judging's own, whose lines of the log all say which it is; also those after it."""

    def judge_and_tell(claim: Claim, abort: threading.Event) -> None:
        context.submission_id.set(str(claim.submission_id))
        context.judging_id.set(claim.judging_id)
        context.attempt.set(claim.attempt)
        origin = retry(lambda: _read_origin(database, claim.judging_id), abort)
        context.request_id.set(origin.request_id)
        if claim.attempt == 1:
            meter.waits.labels(origin.queue, origin.kind).observe(origin.waited_seconds)
        parent, kind = read_traceparent(origin.traceparent), SpanKind.CONSUMER
        facts = {f"allclose.{name}": value for name, value in context.current_fields().items()}
        with TRACER.start_as_current_span("judging", context=parent, kind=kind, attributes=facts) as span:
            begun = time.monotonic()
            try:
                judged = judge(claim, abort)
            except Exception as error:
                if not isinstance(error, Aborted):
                    meter.count_error(error)
                raise
            span.set_attribute("allclose.verdict", str(judged.verdict))
            _tell(origin, judged, time.monotonic() - begun, meter)

    return judge_and_tell


def _tell(origin: Origin, judged: Finish, seconds: float, meter: Meter) -> None:
    meter.judgings.labels(origin.queue, origin.kind, str(judged.verdict)).inc()
    meter.seconds.labels(origin.queue, origin.kind).observe(seconds)
    for phase, spent in judged.spent.items():
        meter.phases.labels(phase).observe(spent)
    _log.info("judged: %s in %.2f s", judged.verdict, seconds, extra={"verdict": str(judged.verdict)})
