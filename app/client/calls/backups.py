"""Made from the OpenAPI document by `make api`; not edited by hand."""

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller


class BackupsCalls(Caller):
    def create_backup(
        self,
    ) -> model.BackupView:
        """Make a backup of everything. Needs backups:write."""
        call = Call(
            method="POST",
            path="/api/v1/backups",
            again="unsafe",
        )
        return self._transport.read(call, model.BackupView)

    def list_backups(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.BackupList:
        """List backups. Needs backups:write."""
        call = Call(
            method="GET",
            path="/api/v1/backups",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.BackupList)

    def get_backup(
        self,
        name: str,
        *,
        wait: int | None = None,
    ) -> model.BackupView:
        """A backup and its progress. Needs backups:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/backups/{name}", name=name),
            again="safe",
            query={
                "wait": wait,
            },
        )
        return self._transport.read(call, model.BackupView)

    def remove_backup(
        self,
        name: str,
    ) -> None:
        """Remove a backup. Needs backups:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/backups/{name}", name=name),
            again="safe",
        )
        self._transport.send(call)

    def download_backup(
        self,
        name: str,
    ) -> bytes:
        """Download a backup as a zip archive. Needs backups:write."""
        call = Call(
            method="GET",
            path=fill("/api/v1/backups/{name}/file", name=name),
            again="safe",
        )
        return self._transport.send(call).content

    def restore_backup(
        self,
        name: str,
        body: model.Replacement,
    ) -> model.BackupView:
        """Replace all data with a backup. Needs backups:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/backups/{name}/restore", name=name),
            again="unsafe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.BackupView)
