"""Made from the OpenAPI document by `make api`; not edited by hand."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller


class AdministrationCalls(Caller):
    def export_submissions(
        self,
        *,
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
        format: Literal["ndjson", "csv"] | None = None,
        source: bool | None = None,
    ) -> bytes:
        """Download all users' submissions as a file. Needs submissions:inspect."""
        call = Call(
            method="GET",
            path="/api/v1/submissions/export",
            again="safe",
            query={
                "problem": problem,
                "state": state,
                "verdict": verdict,
                "mode": mode,
                "user": user,
                "revision": revision,
                "digest": digest,
                "since": since,
                "until": until,
                "format": format,
                "source": source,
            },
        )
        return self._transport.send(call).content

    def list_all_judgings(
        self,
        submission_id: UUID | str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.InspectedJudgingList:
        """List all judgings of a submission. Needs submissions:inspect."""
        call = Call(
            method="GET",
            path=fill("/api/v1/submissions/{submission_id}/all-judgings", submission_id=submission_id),
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.InspectedJudgingList)

    def get_overview(
        self,
    ) -> model.Overview:
        """The last 24 hours at a glance. Needs operations:read."""
        call = Call(
            method="GET",
            path="/api/v1/overview",
            again="safe",
        )
        return self._transport.read(call, model.Overview)

    def get_storage(
        self,
    ) -> model.Storage:
        """Storage used, by table and by folder. Needs operations:read."""
        call = Call(
            method="GET",
            path="/api/v1/storage",
            again="safe",
        )
        return self._transport.read(call, model.Storage)

    def get_retention(
        self,
    ) -> model.Retention:
        """Rows that are due for removal, and the last removal. Needs operations:read."""
        call = Call(
            method="GET",
            path="/api/v1/retention",
            again="safe",
        )
        return self._transport.read(call, model.Retention)

    def list_revision_states(
        self,
        *,
        problem: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.RevisionStates:
        """The state of problems and revisions. Needs operations:read."""
        call = Call(
            method="GET",
            path="/api/v1/revisions",
            again="safe",
            query={
                "problem": problem,
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.RevisionStates)

    def get_settings(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.SettingList:
        """List all settings with their bounds and last changes. Needs operations:read."""
        call = Call(
            method="GET",
            path="/api/v1/settings",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.SettingList)

    def change_settings(
        self,
        body: model.SettingsChange,
        *,
        if_match: str | None = None,
    ) -> model.SettingList:
        """Change settings, all or none. Needs settings:write."""
        call = Call(
            method="PATCH",
            path="/api/v1/settings",
            again="safe",
            headers={"If-Match": if_match, "Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.SettingList)

    def reset_setting(
        self,
        name: str,
        *,
        confirm_removal: bool | None = None,
    ) -> model.SettingList:
        """Reset a setting to its default. Needs settings:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/settings/{name}", name=name),
            again="safe",
            query={
                "confirm_removal": confirm_removal,
            },
        )
        return self._transport.read(call, model.SettingList)

    def list_audit_events(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        actor: str | None = None,
        channel: Literal["page", "api", "command", "worker", "retention"] | None = None,
        about: str | None = None,
        action: Literal[
            "audit.exported",
            "backup.restored",
            "backup.written",
            "identity.linked",
            "identity.removed",
            "invitation.made",
            "invitation.revoked",
            "invitation.used",
            "post.hidden",
            "post.locked",
            "post.reports_dismissed",
            "post.shown",
            "post.spoiler_marked",
            "post.spoiler_unmarked",
            "post.unlocked",
            "problem.availability_changed",
            "problem.published",
            "rejudging.applied",
            "rejudging.cancelled",
            "rejudging.created",
            "retention.removed",
            "session.ended",
            "setting.changed",
            "setting.kept",
            "shared_solution.hidden",
            "shared_solution.reports_dismissed",
            "shared_solution.shown",
            "submission.cancelled",
            "submissions.exported",
            "token.created",
            "token.revoked",
            "user.created",
            "user.email_changed",
            "user.erased",
            "user.exported",
            "user.password_changed",
            "user.password_reset",
            "user.queue_cancelled",
            "user.reactivated",
            "user.reset_link_made",
            "user.role_changed",
            "user.signed_out",
            "user.suspended",
            "verification.cancelled",
            "worker.drained",
            "worker.resumed",
        ]
        | None = None,
        kind: Literal[
            "audit",
            "backup",
            "identity",
            "invitation",
            "post",
            "problem",
            "rejudging",
            "retention",
            "session",
            "setting",
            "shared_solution",
            "submission",
            "submissions",
            "token",
            "user",
            "verification",
            "worker",
        ]
        | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> model.AuditPage:
        """List audit events, newest first. Needs audit:read."""
        call = Call(
            method="GET",
            path="/api/v1/audit-events",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
                "actor": actor,
                "channel": channel,
                "about": about,
                "action": action,
                "kind": kind,
                "target": target,
                "since": since,
                "until": until,
            },
        )
        return self._transport.read(call, model.AuditPage)

    def export_audit_events(
        self,
        *,
        actor: str | None = None,
        channel: Literal["page", "api", "command", "worker", "retention"] | None = None,
        about: str | None = None,
        action: Literal[
            "audit.exported",
            "backup.restored",
            "backup.written",
            "identity.linked",
            "identity.removed",
            "invitation.made",
            "invitation.revoked",
            "invitation.used",
            "post.hidden",
            "post.locked",
            "post.reports_dismissed",
            "post.shown",
            "post.spoiler_marked",
            "post.spoiler_unmarked",
            "post.unlocked",
            "problem.availability_changed",
            "problem.published",
            "rejudging.applied",
            "rejudging.cancelled",
            "rejudging.created",
            "retention.removed",
            "session.ended",
            "setting.changed",
            "setting.kept",
            "shared_solution.hidden",
            "shared_solution.reports_dismissed",
            "shared_solution.shown",
            "submission.cancelled",
            "submissions.exported",
            "token.created",
            "token.revoked",
            "user.created",
            "user.email_changed",
            "user.erased",
            "user.exported",
            "user.password_changed",
            "user.password_reset",
            "user.queue_cancelled",
            "user.reactivated",
            "user.reset_link_made",
            "user.role_changed",
            "user.signed_out",
            "user.suspended",
            "verification.cancelled",
            "worker.drained",
            "worker.resumed",
        ]
        | None = None,
        kind: Literal[
            "audit",
            "backup",
            "identity",
            "invitation",
            "post",
            "problem",
            "rejudging",
            "retention",
            "session",
            "setting",
            "shared_solution",
            "submission",
            "submissions",
            "token",
            "user",
            "verification",
            "worker",
        ]
        | None = None,
        target: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        format: Literal["ndjson", "csv"] | None = None,
    ) -> bytes:
        """Download audit events as a file. Needs audit:read."""
        call = Call(
            method="GET",
            path="/api/v1/audit-events/export",
            again="safe",
            query={
                "actor": actor,
                "channel": channel,
                "about": about,
                "action": action,
                "kind": kind,
                "target": target,
                "since": since,
                "until": until,
                "format": format,
            },
        )
        return self._transport.send(call).content
