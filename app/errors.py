"""Errors that carry facts. They know nothing of HTTP: a table in `app.api` maps each class to a status."""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta


class AllcloseError(Exception):
    """Base of the errors whose text the user may see.

    The message says what is wrong, with the value and the limit, and what to do next.
    """


class NotFound(AllcloseError):
    """The named thing does not exist, or the user may not know that it exists."""


class ProblemNotFound(NotFound):
    def __init__(self, slug: str) -> None:
        super().__init__(f"There is no problem {slug[:80]!r}. See the list of problems.")


class Refused(AllcloseError):
    """The user is known, but may not do this."""


class Invalid(AllcloseError):
    """A value is not allowed. `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field

    @property
    def each(self) -> "tuple[Invalid, ...]":
        """One error for each wrong field."""
        return (self,)

    @property
    def by_field(self) -> dict[str, str]:
        """What is wrong with each field, as a form shows it."""
        return {each.field: str(each) for each in self.each}


class SeveralInvalid(Invalid):
    """Several values are not allowed. `field` is the first one's."""

    def __init__(self, found: Sequence[Invalid]) -> None:
        super().__init__(found[0].field, join_sentences(map(str, found)))
        self._found = tuple(found)

    @property
    def each(self) -> tuple[Invalid, ...]:
        return self._found


def all_of(found: Sequence[Invalid]) -> Invalid:
    """Return one error for all of them. `found` must not be empty."""
    return found[0] if len(found) == 1 else SeveralInvalid(found)


def check_all(checks: Iterable[Callable[[], None]]) -> None:
    """Run every check, then raise one Invalid for all that failed."""
    found = []
    for check in checks:
        try:
            check()
        except Invalid as fault:
            found.append(fault)
    if found:
        raise all_of(found)


def join_sentences(sentences: Iterable[str]) -> str:
    """Join messages with spaces, and end each one with a full stop."""
    return " ".join(each if each.endswith((".", "?", "!", "…")) else f"{each}." for each in sentences)


class Conflict(AllcloseError):
    """The request conflicts with the current state."""


class JudgeFailed(AllcloseError):
    """Allclose or the problem's author is at fault. The student is never charged."""


class Outdated(AllcloseError):
    """The thing has changed since the user last saw it."""


class LimitReached(AllcloseError):
    """A quota is used up for now. `retry_after`: when it may be free again."""

    def __init__(self, message: str, retry_after: timedelta = timedelta(seconds=5)) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    @property
    def retry_seconds(self) -> int:
        """Return `retry_after` in whole seconds, at least 1."""
        return max(1, math.ceil(self.retry_after.total_seconds()))
