"""Made from the OpenAPI document by `make api`; not edited by hand."""

from app.client import model
from app.client.call import Call, fill, write_body
from app.client.caller import Caller


class LearningCalls(Caller):
    def list_hints(
        self,
        slug: str,
    ) -> model.HintsView:
        """The hints that you have revealed, and how many there are. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/hints", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.HintsView)

    def reveal_hint(
        self,
        slug: str,
        body: model.WantedHint,
    ) -> model.HintsView:
        """Reveal the next hint. Needs submissions:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/problems/{slug}/hints", slug=slug),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.HintsView)

    def get_quiz(
        self,
        slug: str,
    ) -> model.QuizView:
        """The questions and your answers. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/quiz", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.QuizView)

    def answer_question(
        self,
        slug: str,
        body: model.NewAnswer,
    ) -> model.QuizView:
        """Answer one question. Needs submissions:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/problems/{slug}/quiz/answers", slug=slug),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.QuizView)

    def retake_quiz(
        self,
        slug: str,
    ) -> model.QuizView:
        """Take the quiz again. Needs submissions:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/problems/{slug}/quiz/attempts", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.QuizView)

    def get_solution(
        self,
        slug: str,
    ) -> model.SolutionView:
        """The solution, after you have solved the problem or opened it. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/solution", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.SolutionView)

    def show_solution(
        self,
        slug: str,
        body: model.SolutionRequest,
    ) -> model.SolutionView:
        """Open the solution without solving the problem. Needs submissions:write."""
        call = Call(
            method="POST",
            path=fill("/api/v1/problems/{slug}/solution", slug=slug),
            again="safe",
            headers={"Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.SolutionView)

    def get_progress(
        self,
        slug: str,
    ) -> model.ProgressView:
        """Your progress with a problem. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/progress", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.ProgressView)

    def complete_problem(
        self,
        slug: str,
    ) -> model.CompletionView:
        """Mark a solved problem as complete. Needs submissions:write."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/problems/{slug}/completion", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.CompletionView)

    def undo_completion(
        self,
        slug: str,
    ) -> None:
        """Mark a problem as not complete. Needs submissions:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/problems/{slug}/completion", slug=slug),
            again="safe",
        )
        self._transport.send(call)

    def bookmark_problem(
        self,
        slug: str,
    ) -> model.BookmarkView:
        """Bookmark a problem. Needs submissions:write."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/problems/{slug}/bookmark", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.BookmarkView)

    def remove_bookmark(
        self,
        slug: str,
    ) -> None:
        """Remove a bookmark. Needs submissions:write."""
        call = Call(
            method="DELETE",
            path=fill("/api/v1/problems/{slug}/bookmark", slug=slug),
            again="safe",
        )
        self._transport.send(call)

    def get_note(
        self,
        slug: str,
    ) -> model.NoteView:
        """Your private note on a problem. Needs submissions:read."""
        call = Call(
            method="GET",
            path=fill("/api/v1/problems/{slug}/note", slug=slug),
            again="safe",
        )
        return self._transport.read(call, model.NoteView)

    def change_note(
        self,
        slug: str,
        body: model.NewNote,
        *,
        if_match: str | None = None,
    ) -> model.NoteView:
        """Write or remove your private note on a problem. Needs submissions:write."""
        call = Call(
            method="PUT",
            path=fill("/api/v1/problems/{slug}/note", slug=slug),
            again="safe",
            headers={"If-Match": if_match, "Content-Type": "application/json"},
            body=write_body(body),
        )
        return self._transport.read(call, model.NoteView)
