"""The worker process: claims judgings, judges each in a box, and writes down what came of it."""

import logging
import os
import signal
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from sqlalchemy.exc import DBAPIError, TimeoutError

from app.database import Database
from app.judging.result import CaseResult
from app.settings import Settings
from app.worker.boxes import cache_folder, open_launcher, open_pool, open_reference_pool
from app.worker.compilation import CompilationCache
from app.worker.expected import ExpectedOutputs
from app.worker.judge import Job, judge
from app.worker.lease import Claim, finish, record_case
from app.worker.lease_loop import Capacity, LeaseLoop
from app.worker.retry import retry
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
        work = retry(lambda: self._works.get(claim.submission_id), abort)
        cases = self._expected.get(work.revision, work.package, work.submission.variant, abort)
        chosen = [case for case in cases if case.visibility == "sample" or work.submission.mode == "submit"]
        job = Job(package=work.package, source=work.submission.source, cases=chosen)
        judged = judge(job, self._students, partial(self._record, claim), abort)
        finish(self._database, claim, judged, abort)

    def _record(self, claim: Claim, result: CaseResult) -> None:
        """For those who watch; `finish` writes every result again, so one that is lost here is no reason to stop."""
        try:
            with self._database.transaction() as session:
                record_case(session, claim, result)
        except (DBAPIError, TimeoutError) as error:
            _log.warning("judging %d: a result is not shown yet: %s", claim.judging_id, error)


class Signals:
    """Counts SIGTERM and SIGINT, which may come at any time, for whoever waits for the first or the second.

    By way of a pipe: a handler may interrupt any line, also one that holds a lock which the handler would need. Made by
    the main thread.
    """

    def __init__(self) -> None:
        self._reader, writer = os.pipe()
        os.set_blocking(writer, False)
        # Python writes the signal's number the moment that it comes. A handler of ours would wait for the main thread.
        signal.set_wakeup_fd(writer)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)

    def wait(self) -> None:
        os.read(self._reader, 1)


def run_worker(settings: Settings, database: Database, queues: Sequence[str]) -> None:
    """Until SIGTERM or SIGINT; then the running judgings are finished. A second signal gives them back at once."""
    signals = Signals()
    launcher = open_launcher(settings, cache=cache_folder(settings))
    works = Works(database)
    with ExitStack() as stack:
        students = stack.enter_context(open_pool(settings, launcher))
        references = stack.enter_context(open_reference_pool(settings, launcher))
        expected = ExpectedOutputs(database, references, device="cpu")
        # Of its own: what it prepares in niced boxes keeps no judging waiting.
        ahead = ExpectedOutputs(database, references, device="cpu")
        warmer = Warmer(works, ahead, CompilationCache(settings.data, launcher), students)
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
