"""Lint rules for hints, the quiz, the walkthrough and the sentences about known mistakes."""

from collections.abc import Iterator

from app.catalog.verification_report import Finding
from app.engine.hints import hint_of
from app.judging.verdicts import Verdict
from app.verification.package_texts import PackageTexts, finding_at

# With this many questions, students notice that the right choice is always at the same position.
MANY_QUESTIONS = 3


def check_hints(texts: PackageTexts) -> Iterator[Finding]:
    manifest = texts.manifest
    if not manifest.hints:
        yield texts.finding(
            "note", (), "the problem has no hints", "write two to four, each more specific than the one before"
        )
    if not manifest.quiz:
        yield texts.finding(
            "note", (), "the problem has no quiz", "ask three questions about what the solution teaches"
        )
    if texts.package.editorial is None:
        yield texts.finding("note", (), "the problem has no walkthrough", "write editorial.md")
    for index, hint in enumerate(manifest.hints):
        if hint in manifest.hints[:index]:
            yield texts.finding(
                "warning", ("hints", index), "this hint repeats an earlier one", "remove one of the two"
            )
    yield from _quiz_findings(texts)
    yield from _mistake_findings(texts)


def _mistake_findings(texts: PackageTexts) -> Iterator[Finding]:
    """Check that each wrong solution begins with the hint that students with this mistake get."""
    for known in texts.submissions:
        if known.verdict == Verdict.WRONG_ANSWER and not hint_of(known.source.text):
            message = "the file has no hint for students who make this mistake"
            yield finding_at(known.source, 1, "warning", message, 'begin with a docstring: "Mistake: …"')


def _quiz_findings(texts: PackageTexts) -> Iterator[Finding]:
    quiz = texts.manifest.quiz
    for index, question in enumerate(quiz):
        choices = [choice.strip().casefold() for choice in question.choices]
        if len(set(choices)) < len(choices):
            yield texts.finding(
                "error", ("quiz", index), "a question has the same choice twice", "change one of the two"
            )
        if question.explanation is None:
            yield texts.finding(
                "note", ("quiz", index), "a question has no explanation", "explain why the answer is right"
            )
        if any(question.question == other.question for other in quiz[:index]):
            yield texts.finding(
                "warning", ("quiz", index), "this question repeats an earlier one", "remove one of the two"
            )
    if len(quiz) >= MANY_QUESTIONS and len({question.answer for question in quiz}) == 1:
        message = f"choice {quiz[0].answer + 1} is the right one in every question"
        yield texts.finding("warning", ("quiz",), message, "vary the position of the right choice")
