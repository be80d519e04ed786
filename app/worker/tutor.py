"""Ends judgings with a hint, where a submission makes a known mistake.

No verdict waits for it: where nobody has computed yet what known mistakes answer, the judging ends without, and the
hint is added when they are computed, in a thread of its own; until then the judging says that one may follow.
"""

import logging
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Full, Queue

from app.database import Database
from app.errors import JudgeFailed
from app.worker.known_mistakes import KnownMistakes
from app.worker.lease import Claim, Finish, add_hint, finish
from app.worker.recognise import Notes, Question, find_hint, question_about
from app.worker.work import Work
from sandbox.interface import Aborted, SandboxError

# Those that wait for what is computed; more than that are not told.
MOST_WAITING = 50

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    claim: Claim
    work: Work
    question: Question


class Tutor:
    def __init__(self, database: Database, known: KnownMistakes) -> None:
        self._database = database
        self._known = known
        self._open: Queue[_Open | None] = Queue(MOST_WAITING)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tutor", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Those that still wait get no hint."""
        self._stop.set()
        with suppress(Full):
            self._open.put_nowait(None)
        self._thread.join()

    def finish(self, claim: Claim, work: Work, judged: Finish, notes: Notes, abort: threading.Event) -> None:
        """Ends the judging."""
        question = question_about(work.package, judged, notes)
        known = None
        if question is not None:
            known = self._known.find(work.revision, work.package, work.submission.variant, abort)
        if question is not None and known is not None:
            judged = replace(judged, hint=find_hint(question, known))
        judged = replace(judged, hint_pending=question is not None and known is None)
        is_written = finish(self._database, claim, judged, abort)
        if question is not None and known is None and is_written:
            self._ask_later(_Open(claim=claim, work=work, question=question))

    def _ask_later(self, question: _Open) -> None:
        try:
            self._open.put_nowait(question)
        except Full:
            _log.warning("%s gets no hint: too many wait for one", question.claim)
            add_hint(self._database, question.claim, None)

    def _run(self) -> None:
        while (question := self._open.get()) is not None and not self._stop.is_set():
            try:
                add_hint(self._database, question.claim, self._answer(question))
            except Aborted:
                return
            except Exception:
                _log.exception("%s gets no hint", question.claim)

    def _answer(self, one: _Open) -> str | None:
        """Raises Aborted."""
        work = one.work
        try:
            known = self._known.get(work.revision, work.package, work.submission.variant, self._stop)
        except (JudgeFailed, SandboxError) as error:
            _log.error("known mistakes of %s can't be computed: %s", work.package.slug, error)
            return None
        return find_hint(one.question, known)
