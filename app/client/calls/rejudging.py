"""Made from the OpenAPI document by `make api`; not edited by hand."""

from typing import Literal
from uuid import UUID

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller


class RejudgingCalls(Caller):
    def preview_rejudging(
        self,
        body: model.NewPreview,
    ) -> model.Preview:
        """Preview a rejudging. Needs rejudgings:write."""
        call = Call(
            method="POST",
            path="/api/v1/rejudging-previews",
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.Preview)

    def create_rejudging(
        self,
        body: model.NewRejudging,
        *,
        idempotency_key: str | None = None,
    ) -> model.RejudgingView:
        """Begin a rejudging. Needs rejudgings:write."""
        call = Call(
            method="POST",
            path="/api/v1/rejudgings",
            again="key",
            headers={"Idempotency-Key": idempotency_key, "Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.RejudgingView)

    def list_rejudgings(
        self,
        *,
        decision: Literal["open", "applied", "cancelled"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.RejudgingPage:
        """List rejudgings, newest first. Needs rejudgings:write."""
        call = Call(
            method="GET",
            path="/api/v1/rejudgings",
            again="safe",
            query={
                "decision": decision,
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.RejudgingPage)

    def get_rejudging(
        self,
        rejudging_id: UUID | str,
        *,
        wait: int | None = None,
    ) -> model.RejudgingView:
        """A rejudging and its progress. Needs rejudgings:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/rejudgings/{rejudging_id}", rejudging_id=rejudging_id),
            again="safe",
            query={
                "wait": wait,
            },
        )
        return self._transport.read(call, model.RejudgingView)

    def list_rejudging_changes(
        self,
        rejudging_id: UUID | str,
        *,
        only_changed: bool | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.ChangePage:
        """List a rejudging's changes. Needs rejudgings:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/rejudgings/{rejudging_id}/changes", rejudging_id=rejudging_id),
            again="safe",
            query={
                "only_changed": only_changed,
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.ChangePage)

    def apply_rejudging(
        self,
        rejudging_id: UUID | str,
    ) -> model.RejudgingView:
        """Apply a rejudging. Needs rejudgings:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/rejudgings/{rejudging_id}/apply", rejudging_id=rejudging_id),
            again="safe",
        )
        return self._transport.read(call, model.RejudgingView)

    def cancel_rejudging(
        self,
        rejudging_id: UUID | str,
    ) -> model.RejudgingView:
        """Cancel a rejudging. Needs rejudgings:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/rejudgings/{rejudging_id}/cancel", rejudging_id=rejudging_id),
            again="safe",
        )
        return self._transport.read(call, model.RejudgingView)

    def list_judgings(
        self,
        submission_id: UUID | str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.JudgingList:
        """List the judgings of a submission that counted. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/submissions/{submission_id}/judgings", submission_id=submission_id),
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.JudgingList)
