"""The grades of a course as a table: a record for each student, and a column for each assignment."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import Problem
from app.courses.model import Assignment
from app.courses.role import Seat
from app.grading.adjustment import record_shown
from app.grading.book import Book, read_book
from app.grading.grade import show_points

Table = tuple[list[str], list[dict[str, object]]]


def export_grades(session: Session, seat: Seat, *, by_problem: bool) -> Table:
    """Return the columns and the records, and record what they show; with the points of each problem if asked."""
    book = read_book(session, seat)
    record_shown(session, book, book.assignments, "export")
    return _tabulate(book, read_slugs(session, book.assignments) if by_problem else {})


def read_slugs(session: Session, assignments: Sequence[Assignment]) -> dict[UUID, str]:
    """Return the slugs of the problems, by ID, in the order of the assignments."""
    ids = [each.problem_id for assignment in assignments for each in assignment.problems]
    rows = session.execute(select(Problem.id, Problem.slug).where(Problem.id.in_(ids)))
    slugs = {row.id: row.slug for row in rows}
    return {problem_id: slugs[problem_id] for problem_id in ids}


def _tabulate(book: Book, slugs: Mapping[UUID, str]) -> Table:
    """Return the columns and a record for each student; with `slugs`, also the points of each problem."""
    columns = ["number", "name", "username", "section"]
    for assignment in book.assignments:
        columns.append(assignment.slug)
        columns += [f"{assignment.slug}: {slugs[each.problem_id]}" for each in assignment.problems if slugs]
    records = []
    for row in book.rows:
        record: dict[str, object] = {name: getattr(row.member, name) for name in ("number", "name", "section")}
        record |= {"username": row.username, "total": show_points(row.total)}
        for grade in row.grades:
            record[grade.assignment.slug] = grade.shown
            for part in grade.parts if slugs else ():
                shown = "excused" if part.is_excused else show_points(part.points)
                record[f"{grade.assignment.slug}: {slugs[part.problem_id]}"] = shown
        records.append(record)
    return [*columns, "total"], records
