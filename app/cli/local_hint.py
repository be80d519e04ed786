"""The hint of `allclose judge`: nobody has computed beforehand what known mistakes answer."""

import threading
from collections.abc import Sequence

from app.judging.mistake import LEAST_CASES
from app.worker.mistakes import list_mistakes, mistake_outputs
from app.worker.prepare import PreparedCase
from app.worker.recognise import Question, find_hint, list_possible
from sandbox.pool import Pool


def look_for_hint(question: Question, cases: Sequence[PreparedCase], pool: Pool, abort: threading.Event) -> str | None:
    """Every mistake answers two cases that are wrong, and only those that it could be answer the rest."""
    package = question.package
    wrong = [case for case in cases if case.name in question.wrong][:LEAST_CASES]
    few = mistake_outputs(package, list_mistakes(package), wrong, pool, abort)
    possible = set(list_possible(question, few))
    left = [mistake for mistake in list_mistakes(package) if mistake.name in possible]
    return find_hint(question, mistake_outputs(package, left, cases, pool, abort)) if left else None
