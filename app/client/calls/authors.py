"""Made from the OpenAPI document by `make api`; not edited by hand."""

from collections.abc import Iterator
from typing import Literal
from uuid import UUID

from app.client import model
from app.client.call import Call, fill
from app.client.caller import Caller
from app.client.event import Event


class AuthorsCalls(Caller):
    def send_package(
        self,
        slug: str,
        body: bytes,
        content_type: Literal["application/zip", "application/yaml"],
        *,
        publish: bool | None = None,
        availability: Literal["draft", "unlisted", "listed", "withdrawn"] | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
    ) -> model.VerificationView:
        """Send a problem's package: verified, then published. Needs problems:write."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/problems/{slug}", slug=slug),
            again="safe",
            query={
                "publish": publish,
                "availability": availability,
            },
            headers={"If-Match": if_match, "If-None-Match": if_none_match, "Content-Type": content_type},
            body=body,
        )
        return self._transport.read(call, model.VerificationView)

    def list_revisions(
        self,
        slug: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.RevisionPage:
        """List a problem's revisions. Needs problems:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/revisions", slug=slug),
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.RevisionPage)

    def get_revision_files(
        self,
        number: int,
        slug: str,
    ) -> bytes:
        """Download a revision's files as a zip archive. Needs problems:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/revisions/{number}/files", number=number, slug=slug),
            again="safe",
        )
        return self._transport.send(call).content

    def publish_revision(
        self,
        number: int,
        slug: str,
    ) -> model.RevisionPage:
        """Make an earlier revision the current one again. Needs problems:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/problems/{slug}/revisions/{number}/publish", number=number, slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.RevisionPage)

    def get_problem_statistics(
        self,
        slug: str,
    ) -> model.ProblemStatistics:
        """Solve rate, mistakes, failing cases and hints of a problem's last submissions. Needs problems:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/statistics", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.ProblemStatistics)

    def list_verifications(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.VerificationPage:
        """List the packages that you sent. Needs problems:write."""
        call = Call(
            method="GET",
            path="/api/v1/verifications",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.VerificationPage)

    def get_verification(
        self,
        verification_id: UUID | str,
        *,
        wait: int | None = None,
    ) -> model.VerificationView:
        """A verification and its report. Needs problems:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/verifications/{verification_id}", verification_id=verification_id),
            again="safe",
            query={
                "wait": wait,
            },
        )
        return self._transport.read(call, model.VerificationView)

    def follow_verification(
        self,
        verification_id: UUID | str,
    ) -> Iterator[Event]:
        """Follow a verification, step by step. Needs problems:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/verifications/{verification_id}/events", verification_id=verification_id),
            again="safe",
        )
        return self._transport.follow(call)

    def get_verification_files(
        self,
        verification_id: UUID | str,
    ) -> bytes:
        """Download the package's files as a zip archive. Needs problems:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/verifications/{verification_id}/files", verification_id=verification_id),
            again="safe",
        )
        return self._transport.send(call).content

    def publish_verification(
        self,
        verification_id: UUID | str,
    ) -> model.VerificationView:
        """Publish a verified package. Needs problems:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/verifications/{verification_id}/publish", verification_id=verification_id),
            again="safe",
        )
        return self._transport.read(call, model.VerificationView)

    def cancel_verification(
        self,
        verification_id: UUID | str,
    ) -> model.VerificationView:
        """Cancel a verification. Needs problems:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/verifications/{verification_id}/cancel", verification_id=verification_id),
            again="safe",
        )
        return self._transport.read(call, model.VerificationView)
