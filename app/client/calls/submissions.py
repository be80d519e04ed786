"""Made from the OpenAPI document by `make api`; not edited by hand."""

from collections.abc import Iterator
from datetime import datetime
from typing import Literal
from uuid import UUID

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller
from app.client.event import Event


class SubmissionsCalls(Caller):
    def submit_batch(
        self,
        body: model.NewBatch,
        *,
        idempotency_key: str | None = None,
    ) -> model.BatchReceipt:
        """Submit up to 50 solutions. Needs submissions:write."""
        call = Call(
            method="POST",
            path="/api/v1/submissions/batch",
            again="key",
            headers={"Idempotency-Key": idempotency_key, "Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.BatchReceipt)

    def get_batch(
        self,
        *,
        ids: list[UUID | str] | None = None,
        wait: int | None = None,
    ) -> model.SubmissionBatch:
        """Up to 50 submissions and their verdicts. Needs submissions:read."""
        call = Call(
            method="GET",
            path="/api/v1/submissions/batch",
            again="safe",
            query={
                "ids": ids,
                "wait": wait,
            },
        )
        return self._transport.read(call, model.SubmissionBatch)

    def submit(
        self,
        slug: str,
        body: model.NewSubmission,
        *,
        idempotency_key: str | None = None,
    ) -> model.Receipt:
        """Submit a solution. Needs submissions:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/problems/{slug}/submissions", slug=slug),
            again="key",
            headers={"Idempotency-Key": idempotency_key, "Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.Receipt)

    def get_submission(
        self,
        submission_id: UUID | str,
        *,
        wait: int | None = None,
    ) -> model.SubmissionView:
        """A submission and its result. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/submissions/{submission_id}", submission_id=submission_id),
            again="safe",
            query={
                "wait": wait,
            },
        )
        return self._transport.read(call, model.SubmissionView)

    def cancel_submission(
        self,
        submission_id: UUID | str,
    ) -> model.SubmissionView:
        """Cancel a submission. Needs submissions:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/submissions/{submission_id}/cancel", submission_id=submission_id),
            again="safe",
        )
        return self._transport.read(call, model.SubmissionView)

    def list_submissions(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        problem: str | None = None,
        state: Literal["queued", "judging", "done"] | None = None,
        verdict: Literal[
            "accepted",
            "wrong_answer",
            "requirement_not_met",
            "runtime_error",
            "time_limit_exceeded",
            "memory_limit_exceeded",
            "output_limit_exceeded",
            "invalid_submission",
            "judge_error",
            "cancelled",
        ]
        | None = None,
        mode: Literal["submit", "sample"] | None = None,
        user: str | None = None,
        revision: int | None = None,
        digest: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        everyone: bool | None = None,
    ) -> model.SubmissionPage:
        """List your submissions, or all users', newest first. Needs submissions:read."""
        call = Call(
            method="GET",
            path="/api/v1/submissions",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
                "problem": problem,
                "state": state,
                "verdict": verdict,
                "mode": mode,
                "user": user,
                "revision": revision,
                "digest": digest,
                "since": since,
                "until": until,
                "everyone": everyone,
            },
        )
        return self._transport.read(call, model.SubmissionPage)

    def get_submission_source(
        self,
        submission_id: UUID | str,
    ) -> model.SourceView:
        """The code of a submission. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/submissions/{submission_id}/source", submission_id=submission_id),
            again="safe",
        )
        return self._transport.read(call, model.SourceView)

    def compare_submissions(
        self,
        submission_id: UUID | str,
        *,
        old: UUID | str | None = None,
    ) -> model.DifferenceView:
        """The difference from another submission. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/submissions/{submission_id}/diff", submission_id=submission_id),
            again="safe",
            query={
                "old": old,
            },
        )
        return self._transport.read(call, model.DifferenceView)

    def copy_submission(
        self,
        submission_id: UUID | str,
    ) -> model.DraftView:
        """Copy a submission into the editor. Needs submissions:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/submissions/{submission_id}/copy", submission_id=submission_id),
            again="safe",
        )
        return self._transport.read(call, model.DraftView)

    def follow_submission(
        self,
        submission_id: UUID | str,
        *,
        progress: bool | None = None,
        last_event_id: str | None = None,
    ) -> Iterator[Event]:
        """Follow a submission, case by case. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/submissions/{submission_id}/events", submission_id=submission_id),
            again="safe",
            query={
                "progress": progress,
            },
            headers={
                "Last-Event-ID": last_event_id,
            },
        )
        return self._transport.follow(call)
