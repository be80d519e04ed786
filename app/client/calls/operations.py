"""Made from the OpenAPI document by `make api`; not edited by hand."""

from uuid import UUID

from app.client import model
from app.client.call import Call, fill
from app.client.caller import Caller


class OperationsCalls(Caller):
    def get_queue(
        self,
    ) -> model.QueueState:
        """Waiting and running judgings, with their users and times. Needs operations:read."""
        call = Call(
            method="GET",
            path="/api/v1/queue",
            again="safe",
        )
        return self._transport.read(call, model.QueueState)

    def list_workers(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.WorkerList:
        """List workers, alive or dead, with their resources and load. Needs operations:read."""
        call = Call(
            method="GET",
            path="/api/v1/workers",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.WorkerList)

    def drain_worker(
        self,
        worker_id: UUID | str,
    ) -> model.WorkerView:
        """Drain a worker: it finishes its judgings and takes no more. Needs operations:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/workers/{worker_id}/drain", worker_id=worker_id),
            again="safe",
        )
        return self._transport.read(call, model.WorkerView)

    def resume_worker(
        self,
        worker_id: UUID | str,
    ) -> model.WorkerView:
        """Resume a worker: it takes judgings again. Needs operations:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/workers/{worker_id}/resume", worker_id=worker_id),
            again="safe",
        )
        return self._transport.read(call, model.WorkerView)

    def list_judge_errors(
        self,
        *,
        problem: str | None = None,
        kind: str | None = None,
        cause: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.JudgeErrorPage:
        """Every judge_error, newest first. Needs operations:read."""
        call = Call(
            method="GET",
            path="/api/v1/judge-errors",
            again="safe",
            query={
                "problem": problem,
                "kind": kind,
                "cause": cause,
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.JudgeErrorPage)

    def list_judge_error_causes(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.CauseList:
        """Judge errors grouped by cause, with their counts. Needs operations:read."""
        call = Call(
            method="GET",
            path="/api/v1/judge-errors/causes",
            again="safe",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.CauseList)
