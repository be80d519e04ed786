"""The worker process: claims judgings, judges each in a box, and writes down what came of it."""

import logging
import signal
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from app.database import Database
from app.judging.result import CaseResult
from app.settings import Settings
from app.worker.boxes import cache_folder, open_launcher, open_pool, open_reference_pool
from app.worker.compilation import CompilationCache
from app.worker.expected import ExpectedOutputs
from app.worker.judge import Job, judge
from app.worker.lease import Claim, finish, record_case
from app.worker.lease_loop import Capacity, LeaseLoop
from app.worker.warm import Warmer
from app.worker.work import Works
from sandbox.pool import Pool

_log = logging.getLogger(__name__)


class Worker:
    """Judges claims, each in a thread of the lease loop."""

    def __init__(self, database: Database, works: Works, expected: ExpectedOutputs, students: Pool) -> None:
        self._database = database
        self._works = works
        self._expected = expected
        self._students = students

    def judge(self, claim: Claim, abort: threading.Event) -> None:
        """The life of a judging between its claim and its end.

        Whatever is raised here is our fault: the loop gives the judging back, and it runs again.
        """
        work = self._works.get(claim.submission_id)
        cases = self._expected.get(work.revision, work.package, work.submission.variant, abort)
        chosen = [case for case in cases if case.visibility == "sample" or work.submission.mode == "submit"]
        job = Job(package=work.package, source=work.submission.source, cases=chosen)
        judged = judge(job, self._students, partial(self._record, claim), abort)
        finish(self._database, claim, judged)

    def _record(self, claim: Claim, result: CaseResult) -> None:
        with self._database.transaction() as session:
            record_case(session, claim, result)


class Signals:
    """Counts SIGTERM and SIGINT, which may come at any time, for whoever waits for the first or the second."""

    def __init__(self) -> None:
        self._received = threading.Semaphore(0)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._received.release())

    def wait(self) -> None:
        # A wait without a limit would not let Python run the handler.
        while not self._received.acquire(timeout=1):
            pass


def run_worker(settings: Settings, database: Database, queues: Sequence[str]) -> None:
    """Until SIGTERM or SIGINT; then the running judgings are finished. A second signal gives them back at once."""
    signals = Signals()
    launcher = open_launcher(settings, cache=cache_folder(settings))
    works = Works(database)
    with ExitStack() as stack:
        students = stack.enter_context(open_pool(settings, launcher))
        references = stack.enter_context(open_reference_pool(settings, launcher))
        expected = ExpectedOutputs(database, references, device="cpu")
        warmer = Warmer(works, expected, CompilationCache(settings.data, launcher), students)
        worker = Worker(database, works, expected, students)
        loop = LeaseLoop(database, Capacity(queues=queues, slots=settings.worker_slots), worker.judge)
        loop.start()
        warmer.start()
        _log.info("judging from %s in %s boxes, %d at once", ", ".join(queues), launcher.name, settings.worker_slots)
        signals.wait()
        threading.Thread(target=_stop_at_signal, args=(signals, loop), daemon=True).start()
        warmer.stop()
        loop.drain()


def _stop_at_signal(signals: Signals, loop: LeaseLoop) -> None:
    signals.wait()
    loop.stop()
