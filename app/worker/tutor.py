"""Ends judgings with a hint, where a submission makes a known mistake.

No verdict waits for it: where nobody has computed yet what known mistakes answer, the judging ends without, and the
hint is added when they are computed, in a thread of its own; until then the judging says that one may follow.
"""

import logging
import threading
from dataclasses import replace

from app.database import Database
from app.errors import JudgeFailed
from app.worker.afterwork import Afterwork
from app.worker.finish import Finish
from app.worker.known_mistakes import KnownMistakes
from app.worker.lease import Claim, add_hint, finish
from app.worker.recognise import Notes, Question, find_hint, question_about
from app.worker.work import Work
from sandbox.interface import SandboxError

_log = logging.getLogger(__name__)


class Tutor:
    def __init__(self, database: Database, known: KnownMistakes) -> None:
        self._database = database
        self._known = known
        self._afterwork = Afterwork("tutor", "gets no hint")

    def start(self) -> None:
        self._afterwork.start()

    def stop(self) -> None:
        """Those that still wait get no hint."""
        self._afterwork.stop()

    def finish(self, claim: Claim, work: Work, judged: Finish, notes: Notes, abort: threading.Event) -> None:
        """Ends the judging."""
        question = question_about(work.package, judged, notes)
        known = None
        if question is not None:
            known = self._known.find(work.revision, work.package, work.variant, abort)
        if question is not None and known is not None:
            judged = replace(judged, hint=find_hint(question, known))
        judged = replace(judged, hint_pending=question is not None and known is None)
        is_written = finish(self._database, claim, judged, abort)
        if question is not None and known is None and is_written:
            self._ask_later(claim, work, question)

    def _ask_later(self, claim: Claim, work: Work, question: Question) -> None:
        def answer() -> None:
            add_hint(self._database, claim, self._answer(work, question))

        if not self._afterwork.offer(claim, answer):
            _log.warning("%s gets no hint: too many wait for one", claim)
            add_hint(self._database, claim, None)

    def _answer(self, work: Work, question: Question) -> str | None:
        """Raises Aborted."""
        try:
            known = self._known.get(work.revision, work.package, work.variant, self._afterwork.stopping)
        except (JudgeFailed, SandboxError) as error:
            _log.error("known mistakes of %s can't be computed: %s", work.package.slug, error)
            return None
        return find_hint(question, known)
