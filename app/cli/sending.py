"""Problems of a server and solutions sent to it: what the command line and notebooks share."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from app.client.error import NotFound
from app.errors import AllcloseError

if TYPE_CHECKING:
    from app.client.client import Client
    from app.client.model import ListedProblem, ProblemDetail

MOST_PROBLEMS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """`problem` is a slug; `inputs`, as YAML, take the place of the sample cases' own."""

    problem: str
    source: str
    mode: Literal["submit", "sample"]
    inputs: str | None = None


class NothingThere(AllcloseError):
    """The server knows no problem of that name; the text says which may have been meant."""


def send(client: "Client", attempt: Attempt) -> str:
    """The submission's id. Raises ClientError and NothingThere."""
    from app.client.model import NewSubmission

    new = NewSubmission(source=attempt.source, mode=attempt.mode, inputs=attempt.inputs)
    try:
        return str(client.submit(attempt.problem, new).id)
    except NotFound:
        raise NothingThere(_explain_unknown(client, attempt.problem)) from None


def list_problems(client: "Client", words: str = "") -> list["ListedProblem"]:
    """At most `MOST_PROBLEMS`. Raises ClientError."""
    return client.list_problems(limit=MOST_PROBLEMS, q=words).items


def get_problem(client: "Client", slug: str) -> "ProblemDetail":
    """Raises ClientError and NothingThere."""
    try:
        return client.get_problem(slug)
    except NotFound:
        raise NothingThere(_explain_unknown(client, slug)) from None


def _explain_unknown(client: "Client", slug: str) -> str:
    close = get_close_matches(slug.lower(), [item.slug for item in list_problems(client)], n=1)
    advice = f"did you mean {close[0]!r}?" if close else f"{client.server}/problems lists them"
    return f"there is no problem {slug!r} on {client.server}; {advice}"
