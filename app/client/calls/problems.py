"""Made from the OpenAPI document by `make api`; not edited by hand."""

from typing import Literal

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller


class ProblemsCalls(Caller):
    def list_problems(
        self,
        *,
        tag: list[str] | None = None,
        difficulty: Literal["beginner", "intermediate", "advanced"] | None = None,
        track: str | None = None,
        framework: Literal["numpy", "jax", "flax", "optax", "torch"] | None = None,
        state: Literal["new", "tried", "solved", "completed"] | None = None,
        bookmarked: bool | None = None,
        q: str | None = None,
        order: Literal["track", "most_solved", "least_solved", "most_tried"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> model.ProblemPage:
        """List problems. Needs problems:read, or no token."""
        call = Call(
            method="GET",
            path="/api/v1/problems",
            again="safe",
            query={
                "tag": tag,
                "difficulty": difficulty,
                "track": track,
                "framework": framework,
                "state": state,
                "bookmarked": bookmarked,
                "q": q,
                "order": order,
                "cursor": cursor,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.ProblemPage)

    def get_problem(
        self,
        slug: str,
    ) -> model.ProblemDetail:
        """One problem: statement, parameters, samples, starter, limits. Needs problems:read, or no token."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.ProblemDetail)

    def change_problem(
        self,
        slug: str,
        body: model.ProblemChange,
        *,
        if_match: str | None = None,
    ) -> model.ProblemDetail:
        """List a problem, or make it unlisted, a draft or withdrawn. Needs problems:write."""
        call = Call(
            method="PATCH",
            path=fill("/api/v1/problems/{slug}", slug=slug),
            again="safe",
            headers={"If-Match": if_match, "Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.ProblemDetail)

    def get_leaderboard(
        self,
        slug: str,
        *,
        by: Literal["time", "memory"] | None = None,
        limit: int | None = None,
    ) -> model.Leaderboard:
        """The accepted solutions with the least time or memory. Needs problems:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/leaderboard", slug=slug),
            again="safe",
            query={
                "by": by,
                "limit": limit,
            },
        )
        return self._transport.read(call, model.Leaderboard)
