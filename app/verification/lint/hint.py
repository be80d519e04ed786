"""Hints, the quiz, the walkthrough, and what is said of known mistakes."""

from collections.abc import Iterator

from app.catalog.verification_report import Finding
from app.judging.known_mistake import hint_of
from app.judging.verdicts import Verdict
from app.verification.lint.paper import Paper, at

# From so many questions on, an answer that is always in the same place tells itself.
MANY_QUESTIONS = 3


def find(paper: Paper) -> Iterator[Finding]:
    manifest = paper.package.manifest
    if not manifest.hints:
        yield paper.finding("note", (), "the problem has no hints", "write two to four, each a step further")
    if not manifest.quiz:
        yield paper.finding("note", (), "the problem has no quiz", "ask three things that its solution teaches")
    if paper.package.editorial is None:
        yield paper.finding("note", (), "the problem has no walkthrough", "write editorial.md")
    for index, hint in enumerate(manifest.hints):
        if hint in manifest.hints[:index]:
            yield paper.finding("warning", ("hints", index), "is a hint that was given before", "remove one")
    yield from _quiz(paper)
    yield from _mistakes(paper)


def _mistakes(paper: Paper) -> Iterator[Finding]:
    """Students who make a known mistake are told what its header says."""
    for known in paper.submissions:
        if known.verdict == Verdict.WRONG_ANSWER and not hint_of(known.source.text):
            message = "the header says nothing to the student who makes this mistake"
            yield at(known.source, 1, "warning", message, 'begin with a docstring: "Mistake: …"')


def _quiz(paper: Paper) -> Iterator[Finding]:
    quiz = paper.package.manifest.quiz
    for index, question in enumerate(quiz):
        choices = [choice.strip().casefold() for choice in question.choices]
        if len(set(choices)) < len(choices):
            yield paper.finding(
                "error", ("quiz", index), "a question has the same choice twice", "change one of the two"
            )
        if question.explanation is None:
            yield paper.finding("note", ("quiz", index), "a question has no explanation", "say why the answer is right")
        if any(question.question == other.question for other in quiz[:index]):
            yield paper.finding("warning", ("quiz", index), "a question is asked twice", "remove one")
    if len(quiz) >= MANY_QUESTIONS and len({question.answer for question in quiz}) == 1:
        message = f"the right choice is number {quiz[0].answer + 1} in every question"
        yield paper.finding("warning", ("quiz",), message, "put it in different places")
