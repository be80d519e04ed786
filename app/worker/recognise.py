"""From the answers of a wrong submission to the known mistake that it makes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.catalog.package import Package
from app.judging.mistake import LEAST_CASES, Likeness, recognise
from app.judging.rules import Rules
from app.judging.verdicts import Verdict
from app.worker.finish import Finish
from app.worker.mistakes import ANSWER_BYTES, Answers, agree, list_mistakes, plain_rules
from sandbox.guest.codec import Malformed, Tree, decode
from sandbox.interface import CaseOutcome

# Of the answers of one submission that are kept until it is judged.
KEPT_BYTES = 4 * 2**20
NOT_ALIKE = Likeness(cases=frozenset(), is_refuted=True)


@dataclass(slots=True)
class Notes:
    """What a submission answered, as far as it could be what a known mistake answers."""

    answers: dict[str, bytes] = field(default_factory=dict)
    room: int = KEPT_BYTES

    def take(self, outcome: CaseOutcome) -> None:
        size = len(outcome.answer or b"")
        if outcome.answer is not None and size <= min(ANSWER_BYTES, self.room):
            self.answers[outcome.name] = outcome.answer
            self.room -= size


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A wrong submission: `answers` encoded by case, and the cases in which they are wrong."""

    package: Package
    answers: Mapping[str, bytes]
    wrong: frozenset[str]


def question_about(package: Package, judged: Finish, notes: Notes) -> Question | None:
    """None where no mistake could be recognised, whatever known mistakes answer."""
    wrong = {case.name for case in judged.cases if case.verdict is Verdict.WRONG_ANSWER} & notes.answers.keys()
    if len(wrong) < LEAST_CASES or not list_mistakes(package):
        return None
    return Question(package=package, answers=notes.answers, wrong=frozenset(wrong))


def find_hint(question: Question, known: Mapping[str, Answers]) -> str | None:
    """`known`: of `mistake_outputs`, for the same inputs."""
    likenesses = _likenesses(question, known)
    by_hint: dict[str, Likeness] = {}
    for mistake in list_mistakes(question.package):
        # Two ways to the same mistake may have one hint, and need not be told apart.
        both = (likenesses.get(mistake.name, NOT_ALIKE), by_hint.get(mistake.hint, NOT_ALIKE))
        by_hint[mistake.hint] = max(both, key=lambda likeness: (not likeness.is_refuted, len(likeness.cases)))
    return recognise(by_hint)


def list_possible(question: Question, known: Mapping[str, Answers]) -> list[str]:
    """The mistakes that no case refutes."""
    return [name for name, likeness in _likenesses(question, known).items() if not likeness.is_refuted]


def _likenesses(question: Question, known: Mapping[str, Answers]) -> dict[str, Likeness]:
    rules, answers = plain_rules(question.package), _decoded(question)
    return {name: _likeness(answers, question.wrong, of, rules) for name, of in known.items()}


def _decoded(question: Question) -> dict[str, Tree]:
    """Those that could not be read have another verdict by now."""
    found: dict[str, Tree] = {}
    for name, answer in question.answers.items():
        try:
            found[name] = decode(answer)
        except Malformed:
            continue
    return found


def _likeness(answers: Mapping[str, Tree], wrong: frozenset[str], known: Answers, rules: Rules) -> Likeness:
    """Ends at the first case that refutes it, which for most mistakes is the first one."""
    alike: set[str] = set()
    for name in known.keys() & answers.keys():
        if name not in wrong or not agree(answers[name], known[name], rules):
            return Likeness(cases=frozenset(alike), is_refuted=True)
        alike.add(name)
    return Likeness(cases=frozenset(alike), is_refuted=False)
