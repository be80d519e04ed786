"""Made from the OpenAPI document by `make api`; not edited by hand."""

from typing import Literal
from uuid import UUID

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller


class UsersCalls(Caller):
    def create_user(
        self,
        body: model.NewUser,
    ) -> model.UserView:
        """Sign up."""
        call = Call(
            method="POST",
            path="/api/v1/users",
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.UserView)

    def list_users(
        self,
        *,
        q: str | None = None,
        role: Literal["student", "author", "admin"] | None = None,
        state: Literal["active", "suspended", "erased"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.PersonPage:
        """List users, newest first. Needs users:read."""
        call = Call(
            method="GET",
            path="/api/v1/users",
            again="safe",
            query={
                "q": q,
                "role": role,
                "state": state,
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.PersonPage)

    def ask_for_password(
        self,
        body: model.ResetWish,
    ) -> model.ResetAnswer:
        """Ask for a link for a new password."""
        call = Call(
            method="POST",
            path="/api/v1/password-resets",
            again="unsafe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.ResetAnswer)

    def reset_password(
        self,
        token: str,
        body: model.NewPassword,
    ) -> None:
        """Choose the new password."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/password-resets/{token}", token=token),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        self._transport.send(call)

    def get_user(
        self,
        user_id: UUID | str,
    ) -> model.Account:
        """One user. Needs users:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/users/{user_id}", user_id=user_id),
            again="safe",
        )
        return self._transport.read(call, model.Account)

    def change_user(
        self,
        user_id: UUID | str,
        body: model.UserChange,
        *,
        if_match: str | None = None,
    ) -> model.Account:
        """Change a user's role or e-mail, suspend or reactivate them. Needs users:write."""
        call = Call(
            method="PATCH",
            path=fill("/api/v1/users/{user_id}", user_id=user_id),
            again="safe",
            headers={"If-Match": if_match, "Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.Account)

    def erase_user(
        self,
        user_id: UUID | str,
    ) -> None:
        """Erase a user for good. Needs users:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/users/{user_id}", user_id=user_id),
            again="safe",
        )
        self._transport.send(call)

    def make_reset_link(
        self,
        user_id: UUID | str,
    ) -> model.ResetLink:
        """Make a link for a new password. Needs users:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/users/{user_id}/password-resets", user_id=user_id),
            again="unsafe",
        )
        return self._transport.read(call, model.ResetLink)

    def make_reset_link_by_old_path(
        self,
        user_id: UUID | str,
    ) -> model.ResetLink:
        """Deprecated. Make a link for a new password (old path). Needs users:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/users/{user_id}/password-reset", user_id=user_id),
            again="unsafe",
        )
        return self._transport.read(call, model.ResetLink)

    def sign_out_user(
        self,
        user_id: UUID | str,
    ) -> model.Ended:
        """Sign a user out everywhere. Needs users:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/users/{user_id}/sessions", user_id=user_id),
            again="safe",
        )
        return self._transport.read(call, model.Ended)

    def cancel_queue(
        self,
        user_id: UUID | str,
    ) -> model.Cancelled:
        """Cancel all unfinished submissions of a user. Needs users:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/users/{user_id}/queue", user_id=user_id),
            again="safe",
        )
        return self._transport.read(call, model.Cancelled)

    def export_user(
        self,
        user_id: UUID | str,
    ) -> bytes:
        """Export all data of a user as a zip archive. Needs users:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/users/{user_id}/export", user_id=user_id),
            again="safe",
        )
        return self._transport.send(call).content

    def get_me(
        self,
    ) -> model.UserView:
        """Your account and role. Needs account:read."""
        call = Call(
            method="GET",
            path="/api/v1/me",
            again="safe",
        )
        return self._transport.read(call, model.UserView)

    def change_me(
        self,
        body: model.AccountChange,
        *,
        if_match: str | None = None,
    ) -> model.UserView:
        """Join or leave leaderboards, or change your e-mail. Needs account:write."""
        call = Call(
            method="PATCH",
            path="/api/v1/me",
            again="safe",
            headers={"If-Match": if_match, "Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.UserView)

    def erase_own_account(
        self,
        body: model.Confirmation,
    ) -> None:
        """Erase your account for good. Needs account:write."""
        call = Call(
            method="DELETE",
            path="/api/v1/me",
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        self._transport.send(call)

    def change_own_password(
        self,
        body: model.PasswordChange,
    ) -> None:
        """Change your password. Needs account:write."""
        call = Call(
            method="PUT",
            path="/api/v1/me/password",
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        self._transport.send(call)

    def get_statistics(
        self,
    ) -> model.OwnStatistics:
        """Statistics of your submissions, with days in UTC. Needs account:read."""
        call = Call(
            method="GET",
            path="/api/v1/me/statistics",
            again="safe",
        )
        return self._transport.read(call, model.OwnStatistics)

    def get_next_steps(
        self,
    ) -> model.NextSteps:
        """Your last unsolved problem, and the next one of each started track. Needs submissions:read."""
        call = Call(
            method="GET",
            path="/api/v1/me/next-steps",
            again="safe",
        )
        return self._transport.read(call, model.NextSteps)

    def export_own_data(
        self,
    ) -> bytes:
        """Export all your data as a zip archive. Needs account:write."""
        call = Call(
            method="GET",
            path="/api/v1/me/export",
            again="safe",
        )
        return self._transport.send(call).content
