"""Made from the OpenAPI document by `make api`; not edited by hand."""

from typing import Literal
from uuid import UUID

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller


class DiscussionsCalls(Caller):
    def list_shared_solutions(
        self,
        slug: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        order: Literal["fastest", "shortest", "newest"] | None = None,
    ) -> model.SharedPage:
        """List solutions that users share. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/shared-solutions", slug=slug),
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
                "order": order,
            },
        )
        return self._transport.read(call, model.SharedPage)

    def get_shared_solution(
        self,
        submission_id: UUID | str,
    ) -> model.SharedSource:
        """A shared solution with its code. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/shared-solutions/{submission_id}", submission_id=submission_id),
            again="safe",
        )
        return self._transport.read(call, model.SharedSource)

    def share_submission(
        self,
        submission_id: UUID | str,
    ) -> None:
        """Share one of your accepted submissions. Needs discussions:write."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/submissions/{submission_id}/sharing", submission_id=submission_id),
            again="safe",
        )
        self._transport.send(call)

    def withdraw_submission(
        self,
        submission_id: UUID | str,
    ) -> None:
        """Stop sharing one of your submissions. Needs discussions:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/submissions/{submission_id}/sharing", submission_id=submission_id),
            again="safe",
        )
        self._transport.send(call)

    def list_questions(
        self,
        slug: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.QuestionPage:
        """List the questions about a problem, newest first. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/questions", slug=slug),
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.QuestionPage)

    def create_question(
        self,
        slug: str,
        body: model.NewQuestion,
    ) -> model.PostCreated:
        """Ask a question about a problem. Needs discussions:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/problems/{slug}/questions", slug=slug),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.PostCreated)

    def get_question(
        self,
        question_id: UUID | str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.Discussion:
        """A question with its answers, oldest first. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/questions/{question_id}", question_id=question_id),
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.Discussion)

    def create_answer(
        self,
        question_id: UUID | str,
        body: model.NewReply,
    ) -> model.PostCreated:
        """Answer a question. Needs discussions:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/questions/{question_id}/answers", question_id=question_id),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.PostCreated)

    def mark_answers_seen(
        self,
        question_id: UUID | str,
    ) -> None:
        """Mark the answers to your question as seen. Needs discussions:write."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/questions/{question_id}/seen", question_id=question_id),
            again="safe",
        )
        self._transport.send(call)

    def edit_post(
        self,
        post_id: UUID | str,
        body: model.PostEdit,
    ) -> None:
        """Edit your question or answer. Needs discussions:write."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/posts/{post_id}", post_id=post_id),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        self._transport.send(call)

    def delete_post(
        self,
        post_id: UUID | str,
    ) -> None:
        """Delete your question or answer. Needs discussions:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/posts/{post_id}", post_id=post_id),
            again="safe",
        )
        self._transport.send(call)

    def list_unread_answers(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.UnreadAnswersList:
        """Your questions with unread answers. Needs submissions:read."""
        call = Call(
            method="GET",
            path="/api/v1/me/unread-answers",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.UnreadAnswersList)

    def report_post(
        self,
        post_id: UUID | str,
        body: model.NewReport,
    ) -> None:
        """Report a question or an answer to the moderators. Needs discussions:write."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/posts/{post_id}/report", post_id=post_id),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        self._transport.send(call)

    def report_shared_solution(
        self,
        submission_id: UUID | str,
        body: model.NewReport,
    ) -> None:
        """Report a shared solution to the moderators. Needs discussions:write."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/shared-solutions/{submission_id}/report", submission_id=submission_id),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        self._transport.send(call)

    def list_reports(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.ReportPage:
        """List the open reports, newest first. Needs discussions:moderate."""
        call = Call(
            method="GET",
            path="/api/v1/reports",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.ReportPage)

    def decide_on_post(
        self,
        post_id: UUID | str,
        body: model.PostDecided,
    ) -> None:
        """Hide, show, lock, unlock or mark a post, or keep it. Needs discussions:moderate."""
        call = Call(
            method="POST",
            path=fill("/api/v1/posts/{post_id}/decision", post_id=post_id),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        self._transport.send(call)

    def decide_on_shared_solution(
        self,
        submission_id: UUID | str,
        body: model.SharedDecided,
    ) -> None:
        """Hide or show a shared solution, or keep it. Needs discussions:moderate."""
        call = Call(
            method="POST",
            path=fill("/api/v1/shared-solutions/{submission_id}/decision", submission_id=submission_id),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        self._transport.send(call)
