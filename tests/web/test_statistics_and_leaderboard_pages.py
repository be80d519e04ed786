"""A user's own page, and leaderboards."""

from datetime import date, timedelta

from fastapi.testclient import TestClient
from sqlalchemy import select

from app.database.engine import Database
from app.submissions.model import Judging, Submission
from app.submissions.statistics import ActiveDay
from app.web.pages.me import draw_calendar
from tests.factories import make_measurement, make_reference_measurement
from tests.web.submit_form import solve
from tests.web.test_history_pages import become_eve

BOARD = "/problems/scaled_sum/leaderboard"
TODAY = date(2026, 3, 11)


def measure(database: Database) -> None:
    """Store a measurement as workers do: half the reference's time, twice its memory."""
    with database.transaction() as session:
        judging, submission = session.execute(select(Judging, Submission).join(Submission)).one()
        make_measurement(session, judging, 1.0, 2**25)
        make_reference_measurement(session, submission.revision_id, 2.0, submission.variant)


def test_a_user_without_submissions_has_empty_statistics(ada: TestClient) -> None:
    page = ada.get("/me").text

    assert "Your statistics will appear here" in page
    assert "0 of 1" in page


def test_a_solved_problem_counts_in_the_statistics(ada: TestClient, database: Database) -> None:
    solve(ada, database)

    page = ada.get("/me").text

    assert "1 of 1" in page
    assert "1 submission or sample run in the last year; active days: 1" in page
    assert "1 · 100 %" in page


def test_a_leaderboard_shows_those_who_asked_for_it_until_they_leave(ada: TestClient, database: Database) -> None:
    own = solve(ada, database)
    measure(database)

    before = ada.get(BOARD).text
    ada.post("/me/leaderboards", data={"is_ranked": "true"})
    mine = ada.get(BOARD).text
    cookies = dict(ada.cookies)
    become_eve(ada, database)
    shown = ada.get(f"{BOARD}?by=memory").text
    ada.cookies.clear()
    ada.cookies.update(cookies)
    left = ada.post("/me/leaderboards", data={"is_ranked": "false", "next": BOARD})
    after = ada.get(BOARD).text

    assert "No entries yet" in before
    assert "Your best solution takes 0.5 × as much as the reference and would have rank 1. Only you see this." in before
    assert f'<a href="{own}">ada</a>' in mine
    assert ">ada<" in shown.partition('class="leaderboard"')[2].replace(" ", "").replace("\n", "")
    assert "2 ×" in shown
    assert own not in shown
    assert left.headers["location"] == BOARD
    assert "No entries yet" in after


def test_the_leaderboard_switch_never_redirects_to_another_site(ada: TestClient) -> None:
    answer = ada.post("/me/leaderboards", data={"is_ranked": "true", "next": "//evil.example"})

    assert answer.headers["location"] == "/"


def test_a_calendar_has_a_square_for_each_day_up_to_today() -> None:
    days = [ActiveDay(day=TODAY - timedelta(days=number), submissions=number + 1, solved=0) for number in range(7)]
    calendar = draw_calendar(days, TODAY)

    assert len(calendar.squares) == 52 * 7 + TODAY.weekday() + 1
    assert [square.level for square in calendar.squares[-7:]] == [3, 3, 2, 2, 2, 1, 1]
    assert calendar.squares[-1].words == "2026-03-11: 1 submission"
    assert sum(month.submissions for month in calendar.months) == 28
    assert calendar.months[-1].active_days == 7
