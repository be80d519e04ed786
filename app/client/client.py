"""The calls of the REST API that commands and notebooks make, with the server's own models of the answers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from app.client.call import Call, fill, write_json
from app.client.error import StreamEnded
from app.client.transport import OnRetry, Transport
from app.submissions.view import CaseView, SubmissionView

if TYPE_CHECKING:
    from app.authoring.query import VerificationView

# The longest wait that the API allows.
WAIT_SECONDS = 60
JSON = "application/json"

Model = TypeVar("Model", bound=BaseModel)


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


class ListedProblem(_Answer):
    slug: str
    title: str
    difficulty: str


class ProblemDetail(ListedProblem):
    availability: str
    starter: str


class _Problems(_Answer):
    items: tuple[ListedProblem, ...]


class _Token(_Answer):
    token: str


class _Receipt(_Answer):
    id: UUID


class Client:
    """A client of one server. Without a token it can use only the calls that need no sign-in.

    Every method raises ClientError (`app.client.error`). If the server answers with an error, it is ServerRefused.
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
        token = self._send(_Token, "POST", "/api/v1/tokens", body=account, again="unsafe").token
        self._transport.use_token(token)
        return token

    def list_problems(self, limit: int, q: str = "") -> list[ListedProblem]:
        return list(self._get(_Problems, "/api/v1/problems", limit=limit, q=q or None).items)

    def get_problem(self, slug: str) -> ProblemDetail:
        return self._get(ProblemDetail, fill("/api/v1/problems/{slug}", slug=slug))

    def change_availability(self, slug: str, availability: str) -> ProblemDetail:
        path = fill("/api/v1/problems/{slug}", slug=slug)
        return self._send(ProblemDetail, "PATCH", path, body={"availability": availability})

    def submit(
        self, slug: str, source: str, mode: Literal["submit", "sample"] = "submit", inputs: str | None = None
    ) -> UUID:
        """Return the submission's ID."""
        path = fill("/api/v1/problems/{slug}/submissions", slug=slug)
        body = {"source": source, "mode": mode, **({"inputs": inputs} if inputs is not None else {})}
        return self._send(_Receipt, "POST", path, body=body, again="key").id

    def get_submission(self, submission_id: UUID | str, wait: int | None = None) -> SubmissionView:
        path = fill("/api/v1/submissions/{id}", id=submission_id)
        return self._get(SubmissionView, path, wait=wait)

    def cancel_submission(self, submission_id: UUID | str) -> SubmissionView:
        path = fill("/api/v1/submissions/{id}/cancel", id=submission_id)
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
        path = fill("/api/v1/submissions/{id}/events", id=submission_id)
        call = Call(method="GET", path=path, again="safe", query={"progress": True})
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

    def send_package(self, slug: str, content: bytes, kind: str, availability: str | None) -> "VerificationView":
        """Send a package of this media type. The same package sent again joins its unfinished verification."""
        from app.authoring.query import VerificationView

        path, headers = fill("/api/v1/problems/{slug}", slug=slug), {"Content-Type": kind}
        query = {"availability": availability}
        call = Call(method="PUT", path=path, again="safe", query=query, headers=headers, body=content)
        return self._transport.read(call, VerificationView)

    def get_verification(self, verification_id: UUID | str, wait: int | None = None) -> "VerificationView":
        from app.authoring.query import VerificationView

        return self._get(VerificationView, fill("/api/v1/verifications/{id}", id=verification_id), wait=wait)

    def _get(self, kind: type[Model], path: str, **query: Any) -> Model:
        return self._transport.read(Call(method="GET", path=path, again="safe", query=query), kind)

    def _send(
        self,
        kind: type[Model],
        method: str,
        path: str,
        *,
        body: dict[str, Any] | None = None,
        again: Literal["safe", "key", "unsafe"] = "safe",
    ) -> Model:
        headers = {"Content-Type": JSON} if body is not None else {}
        content = write_json(body) if body is not None else None
        return self._transport.read(Call(method=method, path=path, again=again, headers=headers, body=content), kind)
