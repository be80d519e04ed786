"""All that there is of a user, as a ZIP for them: text and JSON, each file small enough to be looked at."""

import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import IO, Any
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from app.audit.record import Act, Actor, record
from app.catalog.model import Problem, Revision
from app.database import Database
from app.people.dossier import SECTIONS, describe_account
from app.spool import in_time, open_spool
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.view import view_case

BATCH = 50

README = """What Allclose has kept of you, as of the time in account.json.

account.json      who you are, how you sign in, sessions and tokens (never their secrets)
audit.json        what was written down: what you did with others' things, and what was done with your account
drafts.json       what you typed and did not send
learning.json     hints, solutions, quizzes and completions
authoring.json    packages that you sent to be verified, and what you published
submissions/      each source, and beside it how it was judged
"""


def export_user(database: Database, actor: Actor, user_id: UUID) -> IO[bytes]:
    """A file to read and close, at its beginning: all as it was at one moment. Raises UserNotFound, LimitReached."""
    file = open_spool()
    with database.snapshot() as session, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in in_time(_list_files(session, user_id)):
            archive.writestr(name, content)
    with database.transaction() as session:
        record(session, actor, Act(action="user.exported", target=user_id))
    file.seek(0)
    return file


def _list_files(session: Session, user_id: UUID) -> Iterator[tuple[str, str | bytes]]:
    account = describe_account(session, user_id)
    yield "README.txt", README
    yield "account.json", _text(account)
    for name, describe in SECTIONS.items():
        yield name, _text(describe(session, user_id))
    for name, content in _submissions(session, user_id):
        yield f"submissions/{name}", content


def _submissions(session: Session, user_id: UUID) -> Iterator[tuple[str, str | bytes]]:
    query = (
        select(Submission, Problem.slug, Revision.number, Judging)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(Judging, and_(Judging.submission_id == Submission.id, Judging.is_current))
        .join(Revision, Revision.id == Judging.revision_id)
        .where(Submission.user_id == user_id)
        .order_by(Submission.created_at.desc())
    )
    for rows in session.execute(query, execution_options={"yield_per": BATCH}).partitions():
        cases = _cases(session, [judging for *_, judging in rows])
        for submission, slug, number, judging in rows:
            name = f"{submission.created_at:%Y-%m-%d_%H-%M-%S}_{slug}_{submission.id}"
            yield f"{name}.py", submission.source
            yield f"{name}.json", _text(_describe(submission, slug, number, judging) | {"cases": cases[judging.id]})


def _describe(submission: Submission, slug: str, number: int, judging: Judging) -> dict[str, Any]:
    sent = ("id", "mode", "inputs", "created_at")
    judged = ("state", "verdict", "score", "hint", "queued_at", "started_at", "finished_at", "phases", "versions")
    return {
        "problem": slug,
        "revision": number,
        **{name: getattr(submission, name) for name in sent},
        **{name: getattr(judging, name) for name in judged},
    }


def _cases(session: Session, judgings: Sequence[Judging]) -> defaultdict[int, list[dict[str, Any]]]:
    """By judging, of its last attempt."""
    cases: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    attempts = {judging.id: judging.attempt for judging in judgings}
    rows = select(CaseRow).where(CaseRow.judging_id.in_(attempts)).order_by(CaseRow.judging_id, CaseRow.position)
    for row in session.scalars(rows):
        if row.attempt == attempts[row.judging_id]:
            cases[row.judging_id].append(view_case(row).model_dump(mode="json"))
    return cases


def _text(value: Any) -> bytes:
    return to_json(value, indent=2)
