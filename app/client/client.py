"""The client: a method for each operation of the API, and some that combine several."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, Self, TypeVar
from uuid import UUID

from app.client.calls import Calls
from app.client.error import StreamEnded
from app.client.model import CaseView, SubmissionSummary, SubmissionView, TokenRequest, VerificationView
from app.client.transport import OnRetry, Transport

# The longest wait that the API allows.
WAIT_SECONDS = 60

Item = TypeVar("Item", covariant=True)


class Page(Protocol[Item]):
    """A page of a list. `next` is the cursor of the next page, None on the last one."""

    @property
    def items(self) -> Sequence[Item]: ...

    @property
    def next(self) -> str | None: ...


class Client(Calls):
    """A client of one server. Without a token it can use only the operations that need no sign-in.

        with Client("https://judge.example", token="alc_…") as client:
            for problem in every(client.list_problems, difficulty="beginner"): ...

    Every method raises ClientError (`app.client.error`). If the server answers with an error, it is ServerRefused.
    """

    def __init__(self, server: str, token: str | None = None, on_retry: OnRetry | None = None) -> None:
        """Raises AddressUnfit."""
        super().__init__(Transport(server, token, on_retry))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    @property
    def server(self) -> str:
        """The server's address."""
        return self._transport.server

    def sign_in(self, username: str, password: str, name: str) -> str:
        """Create a token with this name, use it from now on, and return it. The server never shows it again."""
        token = self.create_token(TokenRequest(username=username, password=password, name=name)).token
        self._transport.use_token(token)
        return token

    def follow_views(self, submission_id: UUID | str, wait: int = WAIT_SECONDS) -> Iterator[SubmissionView]:
        """Yield the submission at once, then at least every `wait` seconds, and last with its verdict."""
        view = self.get_submission(submission_id)
        yield view
        while view.state != "done":
            view = self.get_submission(submission_id, wait=wait)
            yield view

    def wait_for_verdict(self, submission_id: UUID | str) -> SubmissionView:
        *_, last = self.follow_views(submission_id)
        return last

    def wait_for_batch(self, ids: Sequence[UUID | str]) -> list[SubmissionSummary]:
        """Wait until at most 50 submissions are done, and return them in this order."""
        batch = self.get_batch(ids=list(ids))
        while any(each.state != "done" for each in batch.items):
            batch = self.get_batch(ids=list(ids), wait=WAIT_SECONDS)
        return batch.items

    def stream_cases(self, submission_id: UUID | str) -> Iterator[CaseView | SubmissionView]:
        """Yield each case when its result arrives, and last the submission."""
        for event in self.follow_submission(submission_id):
            kind = CaseView if event.name == "case" else SubmissionView
            yield kind.model_validate_json(event.data)

    def stream_views(self, submission_id: UUID | str) -> Iterator[SubmissionView]:
        """Yield the submission at once, then whenever it has changed, and last with its verdict. Raises StreamEnded."""
        view = self.get_submission(submission_id)
        cases = {case.name: case for case in view.cases}
        yield view
        for event in self.follow_submission(submission_id, progress=True) if view.state != "done" else ():
            if event.name == "case":
                case = CaseView.model_validate_json(event.data)
                cases[case.name] = case
            else:
                view = SubmissionView.model_validate_json(event.data)
            if event.name != "done":
                view = view.model_copy(update={"cases": [cases[name] for name in view.case_names if name in cases]})
            yield view
        if view.state != "done":
            raise StreamEnded(f"{self.server} ended the event stream before the verdict")

    def wait_for_verification(self, verification_id: UUID | str) -> VerificationView:
        view = self.get_verification(verification_id)
        while view.finished_at is None:
            view = self.get_verification(verification_id, wait=WAIT_SECONDS)
        return view


def every(list_page: Callable[..., Page[Item]], **filters: object) -> Iterator[Item]:
    """Yield the items of all pages of a list: `every(client.list_submissions, problem="…")`."""
    page = list_page(**filters)
    yield from page.items
    while page.next is not None:
        page = list_page(**filters, cursor=page.next)
        yield from page.items
