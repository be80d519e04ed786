"""Errors that carry facts. They know nothing of HTTP: a table in `app.api` maps classes to statuses."""

from collections.abc import Callable, Iterable, Sequence


class AllcloseError(Exception):
    """Base of every error of ours whose text may be shown to the person who caused it.

    The message says what was wrong, with the value and the limit, and what to do next.
    """


class NotFound(AllcloseError):
    """The thing named does not exist, or the asker may not know that it does."""


class ProblemNotFound(NotFound):
    def __init__(self, slug: str) -> None:
        super().__init__(f"there is no problem {slug[:80]!r}; the list of problems has all of them")


class Refused(AllcloseError):
    """The asker is known, but may not do this."""


class Invalid(AllcloseError):
    """A value is outside what is allowed. `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field

    @property
    def each(self) -> "tuple[Invalid, ...]":
        """One for each field."""
        return (self,)


class SeveralInvalid(Invalid):
    """Several values are; the first one's field stands for all."""

    def __init__(self, found: Sequence[Invalid]) -> None:
        super().__init__(found[0].field, "; ".join(map(str, found)))
        self._found = tuple(found)

    @property
    def each(self) -> tuple[Invalid, ...]:
        return self._found


def all_of(found: Sequence[Invalid]) -> Invalid:
    """One error that tells of them all, of which there is one at least."""
    return found[0] if len(found) == 1 else SeveralInvalid(found)


def check_all(checks: Iterable[Callable[[], None]]) -> None:
    """Raises Invalid for all that the checks raise it for."""
    found = []
    for check in checks:
        try:
            check()
        except Invalid as fault:
            found.append(fault)
    if found:
        raise all_of(found)


class Conflict(AllcloseError):
    """The request clashes with what is already there."""


class JudgeFailed(AllcloseError):
    """Our fault, or that of a problem's author; never charged to the student."""


class Outdated(AllcloseError):
    """The thing has changed since the asker last saw it."""


class LimitReached(AllcloseError):
    """A quota is used up for now."""
