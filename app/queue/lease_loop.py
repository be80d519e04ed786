"""The lease loop of a worker: claims jobs while slots are free, runs each in a thread, and sends heartbeats.

One thread does this, so a beat never overlaps a claim; slow work runs elsewhere. The loop claims after a NOTIFY, when a
slot becomes free, and after each beat, since a NOTIFY may be lost. While the database is away, jobs run on, and the
loop retries. It beats before it claims, so it does not take over its own jobs.
"""

import logging
import math
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from textwrap import indent
from typing import Generic

from sqlalchemy.exc import DBAPIError, TimeoutError

from app.database.engine import Database, retry_briefly
from app.database.listener import Listener
from app.queue.background_work import BackgroundPause, RunningJobs
from app.queue.heartbeat import Capacity, appear, leave
from app.queue.lease import REASON_CHARACTERS, C, Wanted, beat, bury, claim, fail, give_back
from app.queue.model import CANCELLED, CHANNEL
from sandbox.interface import SandboxAway, SandboxUnavailable

_log = logging.getLogger(__name__)

# The longest pause takes 32 s.
MOST_DOUBLINGS = 5
LINE_CHARACTERS = 300
PAUSE_SECONDS = 1.0


class CircuitBreaker:
    """Pauses claiming after a box could not be opened: an engine restarts, or a GPU failed.

    Each pause is twice as long as the one before, until a judging succeeds. Logs the first pause and the end.

    `reason`: why no box could be opened at the last try.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times = 0
        self.reason = ""
        self._until = 0.0

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def begin(self, reason: Exception) -> None:
        """Judgings that fail at the same time cause one pause."""
        with self._lock:
            if self.seconds_left:
                return
            self._until = time.monotonic() + 2.0 ** min(self._times, MOST_DOUBLINGS)
            self._times += 1
            self.reason = str(reason).strip().partition("\n")[0][:LINE_CHARACTERS]
            is_first = self._times == 1
        if is_first:
            _log.error("No box can be opened. Judgings go back to the queue, and claiming pauses: %s", reason)

    def end(self) -> None:
        with self._lock:
            was_away, self._times, self._until, self.reason = self._times > 0, 0, 0.0, ""
        if was_away:
            _log.warning("Boxes can be opened again")


def describe(error: Exception) -> str:
    """Return the error's class and first line, by which equal errors are grouped, then the end of its traceback.

    The traceback is indented, so its lines can't look like those of another attempt.
    """
    summary = str(error).strip().partition("\n")[0]
    line = f"{type(error).__name__}: {summary}"[:LINE_CHARACTERS]
    whole = indent("".join(traceback.format_exception(error)), "  ").rstrip()
    return f"{line}\n{whole[-(REASON_CHARACTERS - len(line) - 1) :]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """A dead worker's judging waits for the lease's end and another worker's next beat: 20 s at worst."""

    lease: timedelta = timedelta(seconds=15)
    beat: timedelta = timedelta(seconds=5)


class LeaseLoop(Generic[C]):
    """`run(claim, abort)` does a job of this kind. It ends the job, and returns soon after `abort` is set.

    If it raises, the job is given back for another attempt, with the error as the reason. SandboxAway costs no attempt.
    The database's pool needs one connection per slot and three more.
    """

    def __init__(
        self,
        database: Database,
        capacity: Capacity,
        kind: type[C],
        run: Callable[[C, threading.Event], object],
        rhythm: Rhythm | None = None,
        background_pause: BackgroundPause | None = None,
    ) -> None:
        self._database = database
        self._capacity = capacity
        self._kind = kind
        self._run_job = run
        self._rhythm = rhythm or Rhythm()
        self._changed = threading.Condition()
        pause = background_pause or BackgroundPause()
        self._running = RunningJobs[C](capacity.slots, pause, self._changed)
        self._has_news = False
        self._is_beat_asked_for = False
        self._is_draining = False
        self._is_held_back = False
        self._next_beat = 0.0
        self._breaker = CircuitBreaker()
        self._listener = Listener(database.url, CHANNEL, self._hear)
        self._thread = threading.Thread(target=self._follow, name="lease", daemon=True)

    def start(self) -> None:
        self._listener.start()
        self._thread.start()

    def stop_claiming(self) -> None:
        """Stop claiming; returns at once. Running jobs keep their leases; background jobs are given back."""
        with self._changed:
            self._is_draining = True
            self._running.preempt()
            self._changed.notify_all()

    def drain(self) -> None:
        """Stop claiming, and return when the running jobs have ended."""
        self.stop_claiming()
        self._thread.join()
        self._listener.stop()
        self._leave()

    def stop(self) -> None:
        """Drain, but abort the running jobs and give them back at no cost of an attempt. May interrupt a `drain`."""
        self._running.abort_all()
        self.drain()

    def _leave(self) -> None:
        """Remove the worker's row. If that fails, the row expires by its age."""

        def step() -> None:
            with self._database.transaction() as session:
                leave(session, self._capacity)

        try:
            retry_briefly(step)
        except (DBAPIError, TimeoutError) as error:
            _log.warning("The database is away: %s", str(error.__cause__ or error).strip())

    def _hear(self, queue: str | None) -> None:
        """A cancellation and a drain by an admin show in the answer to a beat."""
        calls_for_beat = queue in (CANCELLED, self._capacity.worker)
        if queue is None or calls_for_beat or queue in self._capacity.queues:
            with self._changed:
                self._has_news = True
                self._is_beat_asked_for |= calls_for_beat
                self._changed.notify_all()

    def _follow(self) -> None:
        while self._wait():
            try:
                self._beat_when_due()
                self._claim()
            except (DBAPIError, TimeoutError) as error:
                _log.warning("The database is away: %s", str(error.__cause__ or error).strip())
                time.sleep(PAUSE_SECONDS)
            except Exception:
                # Without this thread the worker would hold its leases no longer and claim nothing.
                _log.exception("The lease loop failed and continues")
                time.sleep(PAUSE_SECONDS)

    def _wait(self) -> bool:
        """Wait until there is something to do. Return False when all jobs have ended after a drain."""
        until = min(self._breaker.seconds_left or math.inf, self._next_beat - time.monotonic())
        with self._changed:
            self._changed.wait_for(lambda: self._has_news or (self._is_draining and not self._running), max(until, 0))
            self._has_news = False
            return bool(self._running) or not self._is_draining

    def _beat_when_due(self) -> None:
        with self._changed:
            is_asked_for, self._is_beat_asked_for = self._is_beat_asked_for, False
            held = self._running.list_claims()
        if time.monotonic() < self._next_beat and not is_asked_for:
            return
        with self._database.transaction() as session:
            lost = beat(session, held, self._rhythm.lease) if held else set()
            bury(session, self._kind)
            if self._is_draining:
                leave(session, self._capacity)
            else:
                failure = self._breaker.reason if self._breaker.seconds_left or held else ""
                self._is_held_back = appear(session, self._capacity, self._is_held_back, failure)
        self._next_beat = time.monotonic() + self._rhythm.beat.total_seconds()
        self._running.abort(lost)

    def _claim(self) -> None:
        wanted = self._find_wanted()
        if wanted.slots <= 0 or self._breaker.seconds_left:
            return
        with self._database.transaction() as session:
            claims = claim(session, wanted, self._kind)
        self._running.preempt(len(claims) - (wanted.slots - wanted.preemptible))
        refused = [each for each in claims if not self._begin(each)]
        for each in refused:
            give_back(self._database, each)
        if refused:
            time.sleep(PAUSE_SECONDS)

    def _find_wanted(self) -> Wanted:
        capacity, free = self._capacity, self._running.count_free()
        return Wanted(
            queues=capacity.queues,
            slots=0 if self._is_draining or self._is_held_back else free.slots,
            worker=capacity.worker,
            lease=self._rhythm.lease,
            background=free.background,
            preemptible=free.preemptible,
            lacks=capacity.lacks,
        )

    def _begin(self, claim: C) -> bool:
        """Start a thread for the job. Return False when the host has no thread left."""
        abort = self._running.add(claim)
        thread = threading.Thread(target=self._run, args=(claim, abort), name=str(claim), daemon=True)
        try:
            thread.start()
        except RuntimeError:
            _log.exception("%s can't start", claim)
            self._end(claim)
            return False
        return True

    def _run(self, claim: C, abort: threading.Event) -> None:
        try:
            self._run_or_fail(claim, abort)
            if abort.is_set():
                give_back(self._database, claim)
        except Exception:
            # If this can't be written, another worker takes over when the lease expires.
            _log.exception("%s ended, but the database could not be told", claim)
        finally:
            self._end(claim)

    def _end(self, claim: C) -> None:
        with self._changed:
            self._has_news = True
            self._running.remove(claim)

    def _run_or_fail(self, claim: C, abort: threading.Event) -> None:
        try:
            self._run_job(claim, abort)
            self._breaker.end()
        except SandboxAway as error:
            self._breaker.begin(error)
            give_back(self._database, claim)
        except Exception as error:
            if isinstance(error, SandboxUnavailable):
                self._breaker.begin(error)
            if not abort.is_set():
                _log.warning("%s failed", claim, exc_info=True)
                fail(self._database, claim, describe(error), abort)
