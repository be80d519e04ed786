"""Problems of a server and solutions sent to it: what the command line and notebooks share."""

import uuid
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from app.cli.remote import NothingThere, ServerRefused, insist, server_of

if TYPE_CHECKING:
    import httpx

MOST_PROBLEMS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """`problem` is a slug; `inputs`, as YAML, take the place of the sample cases' own."""

    problem: str
    source: str
    mode: Literal["submit", "sample"]
    inputs: str | None = None


def send(client: "httpx.Client", attempt: Attempt) -> str:
    """The submission's id. Raises ServerRefused; NothingThere says which problem may have been meant."""
    headers = {"Idempotency-Key": str(uuid.uuid4())}  # every try is the same submission
    own = {} if attempt.inputs is None else {"inputs": attempt.inputs}
    body = {"source": attempt.source, "mode": attempt.mode, **own}
    try:
        receipt = insist(client, "POST", f"{problem_path(attempt.problem)}/submissions", json=body, headers=headers)
    except NothingThere:
        raise NothingThere(explain_unknown(client, attempt.problem)) from None
    if not isinstance(receipt.get("id"), str):
        raise ServerRefused(f"{server_of(client)} took the submission and named no id; is it an Allclose server?")
    return str(receipt["id"])


def list_problems(client: "httpx.Client", words: str = "") -> list[dict[str, Any]]:
    """Summaries, at most `MOST_PROBLEMS`. Raises ServerRefused."""
    found = insist(client, "GET", "/problems", params={"limit": MOST_PROBLEMS, "q": words})
    return [item for item in found.get("items", []) if isinstance(item, dict)]


def get_problem(client: "httpx.Client", slug: str) -> dict[str, Any]:
    """Raises ServerRefused, as `send` does."""
    try:
        return insist(client, "GET", problem_path(slug))
    except NothingThere:
        raise NothingThere(explain_unknown(client, slug)) from None


def explain_unknown(client: "httpx.Client", slug: str) -> str:
    server = server_of(client)
    known = [str(item.get("slug")) for item in list_problems(client)]
    close = get_close_matches(slug.lower(), known, n=1)
    return f"there is no problem {slug!r} on {server}; " + (
        f"did you mean {close[0]!r}?" if close else f"{server}/problems lists them"
    )


def problem_path(slug: str) -> str:
    return f"/problems/{quote(slug, safe='')}"
