"""The calls of the REST API that commands and notebooks make, with the server's own models of the answers."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import quote
from uuid import UUID

from app.cli.transport import Again, Call, Model, OnRetry, StreamEnded, Transport
from app.submissions.view import CaseView, SubmissionView
from app.validation import FrozenModel

if TYPE_CHECKING:
    from app.authoring.query import VerificationView

# The longest wait that the API allows.
WAIT_SECONDS = 60
JSON = "application/json"


class ListedProblem(FrozenModel):
    slug: str
    title: str
    difficulty: str


class ProblemDetail(ListedProblem):
    availability: str
    starter: str


class _Problems(FrozenModel):
    items: tuple[ListedProblem, ...]


class _Token(FrozenModel):
    token: str


class Receipt(FrozenModel):
    """`assignment`: what it was handed in for, as `COURSE/ASSIGNMENT`."""

    id: UUID
    assignment: str | None = None


class ListedCourse(FrozenModel):
    slug: str
    title: str
    state: str
    role: str


class DueAssignment(FrozenModel):
    course: str
    assignment: str
    title: str
    is_late: bool
    until: datetime


class _Courses(FrozenModel):
    items: tuple[ListedCourse, ...]


class _Due(FrozenModel):
    items: tuple[DueAssignment, ...]


class Client:
    """A client of one server. Without a token it can use only the calls that need no sign-in.

    Every method raises ClientError (`app.cli.transport`). If the server answers with an error, it is ServerRefused.
    """

    def __init__(self, server: str, token: str | None = None, on_retry: OnRetry | None = None) -> None:
        """Raises AddressUnfit."""
        self._transport = Transport(server, token, on_retry)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._transport.close()

    @property
    def server(self) -> str:
        """The server's address."""
        return self._transport.server

    def sign_in(self, username: str, password: str, name: str) -> str:
        """Create a token with this name, use it from now on, and return it. The server never shows it again."""
        account = {"username": username, "password": password, "name": name}
        token = self._send(_Token, "POST", _path("tokens"), body=account, again="unsafe").token
        self._transport.use_token(token)
        return token

    def list_problems(self, limit: int, q: str = "") -> list[ListedProblem]:
        return list(self._get(_Problems, _path("problems"), limit=limit, q=q or None).items)

    def get_problem(self, slug: str) -> ProblemDetail:
        return self._get(ProblemDetail, _path("problems", slug))

    def change_availability(
        self, slug: str, availability: str, *, course: str | None, confirmed: bool
    ) -> ProblemDetail:
        wish = {"availability": availability, "course": course, "confirmed": confirmed}
        return self._send(ProblemDetail, "PATCH", _path("problems", slug), body=wish)

    def list_courses(self) -> list[ListedCourse]:
        return list(self._get(_Courses, _path("courses")).items)

    def list_due(self) -> list[DueAssignment]:
        return list(self._get(_Due, _path("me", "assignments")).items)

    def submit(
        self,
        slug: str,
        source: str,
        mode: Literal["submit", "sample"] = "submit",
        inputs: str | None = None,
        assignment: str | None = None,
    ) -> Receipt:
        """Submit, and hand in for the one open homework with this problem. `assignment`: `none` for practice."""
        path = _path("problems", slug, "submissions")
        given = {"inputs": inputs, "assignment": assignment}
        body = {"source": source, "mode": mode} | {name: text for name, text in given.items() if text is not None}
        return self._send(Receipt, "POST", path, body=body, again="key")

    def hand_in(self, assignment: str, slug: str, source: str) -> Receipt:
        """Hand in for an assignment, `COURSE/ASSIGNMENT`."""
        course, _, name = assignment.partition("/")
        path = _path("courses", course, "assignments", name, "problems", slug, "submissions")
        return self._send(Receipt, "POST", path, body={"source": source}, again="key")

    def get_submission(self, submission_id: UUID | str, wait: int | None = None) -> SubmissionView:
        path = _path("submissions", submission_id)
        return self._get(SubmissionView, path, wait=wait)

    def cancel_submission(self, submission_id: UUID | str) -> SubmissionView:
        path = _path("submissions", submission_id, "cancel")
        return self._send(SubmissionView, "POST", path)

    def follow_views(self, submission_id: UUID | str, wait: int = WAIT_SECONDS) -> Iterator[SubmissionView]:
        """Yield the submission at once, then at least every `wait` seconds, and last with its verdict."""
        view = self.get_submission(submission_id)
        yield view
        while view.state != "done":
            view = self.get_submission(submission_id, wait=wait)
            yield view

    def stream_views(self, submission_id: UUID | str) -> Iterator[SubmissionView]:
        """Yield the submission at once, then whenever it has changed, and last with its verdict. Raises StreamEnded."""
        view = self.get_submission(submission_id)
        cases = {case.name: case for case in view.cases}
        yield view
        path = _path("submissions", submission_id, "events")
        call = Call(method="GET", path=path, query={"progress": "true"})
        for event in self._transport.follow(call) if view.state != "done" else ():
            if event.name == "case":
                case = CaseView.model_validate_json(event.data)
                cases[case.name] = case
            else:
                view = SubmissionView.model_validate_json(event.data)
            if event.name != "done":
                known = tuple(cases[name] for name in view.case_names if name in cases)
                view = view.model_copy(update={"cases": known})
            yield view
        if view.state != "done":
            raise StreamEnded(f"{self.server} ended the event stream before the verdict")

    def send_package(
        self, slug: str, content: bytes, kind: str, availability: str | None, course: str | None
    ) -> "VerificationView":
        """Send a package of this media type. The same package sent again joins its unfinished verification."""
        from app.authoring.query import VerificationView

        path, headers = _path("problems", slug), {"Content-Type": kind}
        query = {"availability": availability, "course": course}
        call = Call(method="PUT", path=path, query=query, headers=headers, body=content)
        return self._transport.read(call, VerificationView)

    def get_verification(self, verification_id: UUID | str, wait: int | None = None) -> "VerificationView":
        from app.authoring.query import VerificationView

        return self._get(VerificationView, _path("verifications", verification_id), wait=wait)

    def _get(self, kind: type[Model], path: str, **query: Any) -> Model:
        return self._transport.read(Call(method="GET", path=path, query=query), kind)

    def _send(
        self,
        kind: type[Model],
        method: str,
        path: str,
        *,
        body: dict[str, Any] | None = None,
        again: Again = "safe",
    ) -> Model:
        headers = {"Content-Type": JSON} if body is not None else {}
        content = json.dumps(body, ensure_ascii=False).encode() if body is not None else None
        return self._transport.read(Call(method=method, path=path, again=again, headers=headers, body=content), kind)


def _path(*parts: object) -> str:
    return "/".join(("/api/v1", *(quote(str(part), safe="") for part in parts)))
