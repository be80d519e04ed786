"""The worker process: claims judgings, judges each in a box, and writes down what came of it."""

import logging
import os
import signal
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.metadata import version

from sqlalchemy.exc import DBAPIError, TimeoutError

from app.database import Database
from app.errors import JudgeFailed
from app.judging.result import CaseResult, Visibility
from app.settings import Settings
from app.submissions.phase import Phase
from app.worker.boxes import Pools, cache_folder, open_inspector_pool, open_launcher, open_pool, open_reference_pool
from app.worker.compilation import CompilationCache
from app.worker.expected import ExpectedOutputs
from app.worker.inability import Inability
from app.worker.judge import Job, OnOutcome, judge
from app.worker.known_mistakes import KnownMistakes
from app.worker.lease import Claim, Finish, is_cancelled, record_case, record_phases
from app.worker.lease_loop import LeaseLoop, Run
from app.worker.measure import Costs, Surveyor, each_of, name_machine
from app.worker.order import in_order
from app.worker.own_inputs import OwnInputs, find_unanswerable
from app.worker.prepare import PreparedCase
from app.worker.presence import Capacity
from app.worker.recognise import Notes
from app.worker.request import box_spec
from app.worker.retry import retry
from app.worker.timeline import Timeline
from app.worker.tutor import Tutor
from app.worker.verifier import Verifier
from app.worker.warm import Warmer
from app.worker.work import Work, Works
from sandbox.gpu.lease import Gpus
from sandbox.interface import Aborted, BoxSpec, DeviceLost, Launcher

_log = logging.getLogger(__name__)


class Worker:
    """Judges claims, each in a thread of the lease loop."""

    def __init__(
        self,
        database: Database,
        works: Works,
        expected: ExpectedOutputs,
        pools: Pools,
        tutor: Tutor,
        surveyor: Surveyor,
    ) -> None:
        self._database = database
        self._works = works
        self._expected = expected
        self._pools = pools
        self._tutor = tutor
        self._surveyor = surveyor
        self._own_inputs = OwnInputs(expected.references)

    def judge(self, claim: Claim, abort: threading.Event) -> None:
        """The life of a judging between its claim and its end.

        Whatever is raised here is our fault: the loop gives the judging back, and it runs again.
        """
        work = retry(lambda: self._works.get(claim.submission_id), abort)
        notes, costs = Notes(), Costs()
        try:
            judged = self._judge(claim, work, each_of(notes.take, costs.take), abort)
        except Aborted:
            self._make_ready(claim, work)
            raise
        self._tutor.finish(claim, work, judged, notes, abort)
        self._surveyor.note(claim, work, judged, costs)

    def _judge(self, claim: Claim, work: Work, on_outcome: OnOutcome, abort: threading.Event) -> Finish:
        visibility: Visibility = "hidden" if work.submission.mode == "submit" else "sample"
        timeline = Timeline(partial(self._tell, claim), visibility)
        timeline.begin("preparing")
        try:
            job = Job(
                package=work.package,
                source=work.submission.source,
                cases=in_order(self._choose(work, abort), work.submission.id),
                references=self._expected.references,
                inspectors=self._pools.inspectors,
                on_outcome=on_outcome,
                timeline=timeline,
            )
            judged = judge(job, self._pools.students, partial(self._record, claim), abort)
        except JudgeFailed as failure:
            if work.submission.inputs is None:
                raise
            judged = find_unanswerable(failure)
        return replace(judged, phases=timeline.end())

    def _choose(self, work: Work, abort: threading.Event) -> list[PreparedCase]:
        submission = work.submission
        if submission.inputs is not None:
            return [self._own_inputs.prepare(work.package, submission.inputs, abort)]
        cases = self._expected.get(work.revision, work.package, submission.variant, abort)
        return [case for case in cases if case.visibility == "sample" or submission.mode == "submit"]

    def _record(self, claim: Claim, result: CaseResult) -> None:
        """For those who watch; `finish` writes every result again, so one that is lost here is no reason to stop."""
        try:
            with self._database.transaction() as session:
                record_case(session, claim, result)
        except (DBAPIError, TimeoutError) as error:
            _log.warning("judging %d: a result is not shown yet: %s", claim.judging_id, error)

    def _tell(self, claim: Claim, phases: Sequence[Phase]) -> None:
        """For those who watch, as `_record` is."""
        try:
            with self._database.transaction() as session:
                record_phases(session, claim, phases)
        except (DBAPIError, TimeoutError) as error:
            _log.warning("judging %d: what it is about is not shown: %s", claim.judging_id, error)

    def _make_ready(self, claim: Claim, work: Work) -> None:
        """Whoever cancels sends the next one soon, and the box is gone."""
        if is_cancelled(self._database, claim):
            self._pools.students.warm(box_spec(work.package.manifest))


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


def open_worker_launcher(settings: Settings, gpus: Gpus | None) -> Launcher:
    """One that has opened a box, before anything is claimed that would fail for want of one. Raises SandboxUnavailable.

    What is compiled for a GPU is not cached: nobody has looked yet at what such an entry would tell.
    """
    launcher = open_launcher(settings, cache=None if gpus else cache_folder(settings), gpus=gpus)
    launcher.launch(BoxSpec((), gpu=gpus is not None)).close()
    return launcher


def run_worker(settings: Settings, database: Database, launcher: Launcher, gpus: Gpus | None) -> None:
    """Until SIGTERM or SIGINT; then the running judgings are finished. A second signal gives them back at once.

    With GPUs it serves the queue gpu, and raises DeviceLost when none of them is left. Raises SandboxUnavailable when
    one judging after the other finds no box.
    """
    signals, inability = Signals(), Inability(stop=partial(os.kill, os.getpid(), signal.SIGTERM))
    capacity = _capacity(settings, launcher, gpus)
    works = Works(database)
    with ExitStack() as stack:
        pools = Pools(
            students=stack.enter_context(open_pool(settings, launcher)),
            inspectors=stack.enter_context(open_inspector_pool(settings, launcher)),
        )
        references = stack.enter_context(open_reference_pool(settings, launcher))
        expected = ExpectedOutputs(database, references, capacity.device)
        # Of its own: what it prepares in niced boxes keeps no judging waiting.
        ahead = ExpectedOutputs(database, references, capacity.device)
        known = KnownMistakes(database, ahead)
        warmer = Warmer(works, ahead, known, CompilationCache(settings.data, launcher), pools)
        tutor = Tutor(database, known)
        surveyor = Surveyor(database, ahead, name_machine(capacity.gpus))
        worker = Worker(database, works, expected, pools, tutor, surveyor)
        run = worker.judge if gpus is None else _until_lost(worker.judge, gpus)
        loop = LeaseLoop(database, capacity, inability.watching(run))
        verifications = Verifier(settings=settings, database=database, gpus=gpus).loop(capacity)
        loop.start()
        verifications.start()
        warmer.start()
        tutor.start()
        surveyor.start()
        where = "".join(f", GPU {gpu.index} ({gpu.name})" for gpu in gpus.gpus) if gpus else ""
        kind, slots = launcher.name, capacity.slots
        _log.info("judging from %s in %s boxes, %d at once%s", ", ".join(capacity.queues), kind, slots, where)
        signals.wait()
        for each in (loop, verifications):
            each.claim_no_more()  # before anything is waited for
        threading.Thread(target=_stop_at_signal, args=(signals, loop), daemon=True).start()
        warmer.stop()
        tutor.stop()
        surveyor.stop()
        verifications.stop()  # they would take minutes, and begin again elsewhere
        loop.drain()
    if gpus is not None and gpus.are_lost:
        raise DeviceLost("no GPU of this worker answers any more, and its judgings are back in the queue: see the log")
    if inability.reason is not None:
        raise inability.reason


def _capacity(settings: Settings, launcher: Launcher, gpus: Gpus | None) -> Capacity:
    return Capacity(
        queues=["cpu" if gpus is None else "gpu"],
        slots=settings.worker_slots,
        device="cpu" if gpus is None else "gpu",
        gpus=[gpu.name for gpu in gpus.gpus] if gpus else [],
        versions={"allclose": version("allclose"), "sandbox": launcher.name},
    )


def _until_lost(judge: Run, gpus: Gpus) -> Run:
    """A worker without a GPU stops as if it had been told to, and leaves what waits to others."""

    def judge_or_stop(claim: Claim, abort: threading.Event) -> None:
        try:
            judge(claim, abort)
        except DeviceLost:
            if gpus.are_lost:
                os.kill(os.getpid(), signal.SIGTERM)
            raise

    return judge_or_stop


def _stop_at_signal(signals: Signals, loop: LeaseLoop[Claim]) -> None:
    signals.wait()
    loop.stop()
