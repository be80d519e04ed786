"""The submission page that a student sees."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from uuid import uuid4

import numpy as np
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from app.accounts.session import start_session
from app.catalog.model import Revision
from app.database.engine import Database
from app.judging.report import AnswerFault
from app.judging.verdicts import Finish, Phase, Verdict
from app.queue.lease import fail
from app.queue.model import MAX_ATTEMPTS, Job
from app.submissions.judging_record import add_hint, finish, record_phases
from app.submissions.view import PartView, SubmissionView
from app.web.result import describe_result
from app.web.visit import COOKIE
from app.web.wording import case_memory_text, case_seconds_text, seconds_text
from tests.factories import make_prepared, make_user, make_worker
from tests.judging.requirements.evidence import CALL
from tests.transaction import commit, execute
from tests.web.judged import RIGHT, all_right, answered, failed, judge, record, take
from tests.web.submit_form import submit


def test_a_waiting_submission_says_so_and_reloads_itself_without_scripts(ada: TestClient, database: Database) -> None:
    commit(database, make_worker, "cpu")

    page = ada.get(submit(ada)).text

    assert "In the queue" in page
    assert "Yours is next." in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert page.count(">waiting<") == 3


def test_a_submission_that_no_worker_can_judge_says_so_until_one_starts(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    alone = ada.get(f"{path}/result").text

    commit(database, make_worker, "cpu")
    served = ada.get(f"{path}/result").text

    assert "No worker is running now: your submission waits in the queue" in alone
    assert "No worker is running" not in served


def test_a_judging_whose_worker_is_lost_does_not_run(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    claim = take(database)
    with database.transaction() as session:
        make_worker(session, "cpu")
        record_phases(session, claim, [Phase(name="running", seconds=None)])
    held = ada.get(f"{path}/result").text

    execute(database, update(Job).values(lease_until=func.now() - timedelta(seconds=1)))
    lost = ada.get(f"{path}/result").text

    assert "Running your code <b>…</b>" in held
    assert "The worker that judged your submission stopped" in lost
    assert "Running your code <b>interrupted</b>" in lost


def test_results_stand_in_the_order_of_the_cases_while_others_wait(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    record(database, take(database), *(answered(position, RIGHT) for position in (0, 2)))

    fragment = ada.get(f"{path}/result").text

    rows = re.findall(r'<span class="number">(\d)</span>\s*<span class="name"><code>(\w+)</code>', fragment)
    assert rows == [("1", "small"), ("2", "large"), ("3", "made")]
    assert re.search(r"<code>large</code></span><span>waiting</span>", fragment)
    assert fragment.count(">waiting<") == 1


def test_only_its_student_cancels_a_submission(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    record(database, take(database), all_right()[0])
    with database.transaction() as session:
        stranger = {"Cookie": f"{COOKIE}={start_session(session, make_user(session, 'grace').id)}"}

    refused = ada.post(f"{path}/cancel", headers=stranger)
    waiting = ada.get(path).text
    answer = ada.post(f"{path}/cancel")
    page = ada.get(path).text

    assert refused.status_code == HTTPStatus.NOT_FOUND
    assert f'<form class="stop" method="post" action="{path}/cancel"' in waiting
    assert (answer.status_code, answer.headers["location"]) == (HTTPStatus.SEE_OTHER, path)
    assert "The judging was stopped early" in page
    assert "1 of 1" in page
    assert "data-final" in page
    assert "data-stop" not in page
    assert "Interrupted" in page
    assert "Took" not in page


def test_a_page_shows_the_phases_and_the_expected_wait(ada: TestClient, database: Database) -> None:
    commit(database, make_worker, "cpu")
    judge_quickly(ada, database)
    path = submit(ada)
    queued = ada.get(f"{path}/result").text
    taken = take(database)
    commit(database, record_phases, taken, [Phase(name="box", seconds=0.012), Phase(name="running", seconds=None)])
    judging = ada.get(f"{path}/result").text

    assert "Expect the verdict in less than 5 s." in queued
    assert "Running your code." in judging
    assert re.search(r"Getting a ready sandbox <b>12 ms</b>", judging)
    assert re.search(r'aria-current="step">Running your code <b>…</b>', judging)


def judge_quickly(ada: TestClient, database: Database) -> None:
    submit(ada, source="quick = 1")
    judge(database, *all_right())
    with database.transaction() as session:
        make_prepared(session, session.scalars(select(Revision)).one(), variants=3)


def test_samples_alone_are_never_called_accepted(ada: TestClient, database: Database) -> None:
    path = submit(ada, mode="sample")
    judge(database, all_right()[0])

    banner = ada.get(f"{path}/result").text.split('<ol class="cases"')[0]

    assert "Sample cases passed" in banner
    assert "Submit to run the hidden cases too" in banner
    assert "Accepted" not in banner
    assert re.search(r"<strong>1 of 1</strong> sample case passed", banner)


def test_a_known_mistake_is_told_above_the_cases_also_of_hidden_cases_alone(
    ada: TestClient, database: Database
) -> None:
    path = submit(ada)
    wrong = np.array(1, np.float32)
    judge(
        database, answered(0, RIGHT), answered(1, wrong), answered(2, wrong), hint="takes <b>sums</b>\u202e for means."
    )

    page = ada.get(path).text

    assert re.search(r"This looks like a known mistake</h3>\s*<p>Takes &lt;b&gt;sums", page)
    assert "\u202e" not in page
    assert page.index("This looks like a known mistake") < page.index('<ol class="cases"')


def test_text_in_backticks_is_shown_as_code(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    fault = AnswerFault(category="wrong call", message="`scaled_sum(<x>)` takes 1 parameter; it gets 2")
    judge(database, failed(0, Verdict.RUNTIME_ERROR, fault), *all_right()[1:], hint="uses `np.sum` for a `mean")

    result = ada.get(f"{path}/result").text

    assert result.count("<code>scaled_sum(&lt;x&gt;)</code> takes 1 parameter") == 2
    assert "<p>Uses <code>np.sum</code> for a `mean</p>" in result


def test_the_page_follows_until_a_hint_has_come(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    taken = take(database)
    cases = (answered(0, np.array(1, np.float32)), *all_right()[1:])
    wrong = Finish(verdict=Verdict.WRONG_ANSWER, score=66, cases=cases, image="", versions={}, hint_pending=True)
    assert finish(database, taken, wrong)

    before = ada.get(f"{path}/result").text
    add_hint(database, taken, "takes sums for means")
    after = ada.get(f"{path}/result").text

    assert ("Checking for known mistakes" in before, "data-final" in before) == (True, False)
    assert ("Checking for known mistakes" in after, "data-final" in after, "Takes sums" in after) == (False, True, True)


def test_a_single_wrong_number_is_told_in_the_singular(ada: TestClient, database: Database) -> None:
    path = submit(ada, mode="sample")
    judge(database, answered(0, np.array([2], np.float32), np.array([1], np.float32)))

    banner = ada.get(path).text.split('<ol class="cases"')[0]

    assert "<b>small:</b> The number is too far off. Yours is 2, expected is 1." in banner
    assert re.search(r"<strong>0 of 1</strong> sample case passed", banner)


def test_a_wrong_sample_shows_at_once_what_is_off_and_where(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    expected = np.zeros((2, 3), np.float32)
    answer = expected.copy()
    answer[1, 2] = 0.5
    judge(database, answered(0, answer, expected, text="printed by me"), *all_right()[1:])

    page = ada.get(path).text
    banner, cases = page.split('<ol class="cases"')

    assert "Wrong answer" in banner
    assert "<b>small:</b> 1 of 6 numbers is too far off. The worst is at [1, 2]:" in banner
    assert "2 of 3" in banner
    assert '<details id="case-1" open>' in cases
    for words in ("[1, 2]</dd>", "0.5", "1 of 6", "printed by me", "Expected output", "Inputs", "options/weights"):
        assert words in cases


def test_a_wrong_shape_is_shown_beside_the_expected_one(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    judge(database, answered(0, np.zeros((1,), np.float32), np.array(7, np.float32)))

    page = ada.get(path).text

    assert "<dt>Your shape</dt><dd>(1,)</dd>" in page
    assert "<dt>Expected shape</dt><dd>()</dd>" in page


def test_an_answer_that_no_element_makes_wrong_shows_the_reason_and_no_element(
    ada: TestClient, database: Database
) -> None:
    path = submit(ada)
    judge(database, answered(0, {"q": RIGHT, "r": RIGHT}, {"q": RIGHT, "r": RIGHT}, said="q is <not> orthogonal"))

    page = ada.get(path).text

    assert "`q`: q is &lt;not&gt; orthogonal" in page
    assert "property does not hold" in page
    assert "None" not in page


def test_a_hidden_case_shows_its_category_and_no_value(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    right, *_ = all_right()
    judge(database, right, answered(1, np.array(123.5, np.float32), np.array(321.5, np.float32), text="secret input"))

    page = ada.get(path).text

    assert "<b>large:</b> Values outside tolerance. The values of hidden cases are not shown" in page
    for secret in ("123.5", "321.5", "secret input"):
        assert secret not in page


def test_an_accepted_submission_says_so(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    judge(database, *all_right())

    page = ada.get(path).text

    assert "Accepted" in page
    assert "3 of 3" in page
    assert "http-equiv" not in page


def test_an_interrupted_judging_is_called_our_fault(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    taken = take(database)
    fail(database, taken, "the box was lost")

    waiting = ada.get(path).text
    take(database)
    judging = ada.get(path).text

    assert "Our fault: the judging was interrupted. We are judging it again." in waiting
    assert "Our fault: the judging was interrupted. We are judging it again." in judging
    assert "the box was lost" not in waiting + judging


def test_a_judge_error_is_not_charged_to_the_student(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    for _ in range(MAX_ATTEMPTS):
        fail(database, take(database), "the disk is full")

    page = ada.get(path).text

    assert "Judge error" in page
    assert "Our fault, not yours" in page
    assert "the disk is full" not in page


def test_an_exception_is_named_and_its_traceback_leads_to_the_line(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    traceback = '  File "solution.py", line 2, in scaled_sum\n    return x.sum() * scale\n'
    fault = AnswerFault(category="exception", message="no such thing", exception="AttributeError", traceback=traceback)
    judge(database, failed(0, Verdict.RUNTIME_ERROR, fault))

    page = ada.get(path).text

    assert "<b>small:</b> AttributeError: no such thing" in page
    assert '<a href="#L2">line 2</a>' in page
    assert '<li id="L2">' in page


def test_a_case_that_was_not_run_has_no_verdict_and_no_time(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    slow = AnswerFault(category="time limit exceeded", message="the call took longer than 2 s")
    left = AnswerFault(category="not run", message="not run: the first case took longer than the time limit")
    verdict = Verdict.TIME_LIMIT_EXCEEDED
    judge(database, failed(0, verdict, slow), failed(1, verdict, left), failed(2, verdict, left))

    page = ada.get(path).text.partition('class="cases"')[2]

    assert page.count("Time limit exceeded") == 1
    assert page.count("Not run") == 2


def test_the_cost_of_a_hidden_case_says_how_coarse_it_is() -> None:
    assert [case_seconds_text(seconds, "hidden") for seconds in (0.1, 0.3, 12.0)] == ["≤ 0.1 s", "0.3 s", "12 s"]
    assert case_memory_text(16 * 2**20, "hidden") == "≤ 16 MiB"
    assert (case_seconds_text(0.1, "sample"), case_memory_text(2**20, "sample")) == ("100 ms", "1 MiB")
    assert case_memory_text(0, "sample") == case_memory_text(2**19, "sample") == "< 1 MiB"


def test_a_long_time_is_told_in_minutes() -> None:
    assert [seconds_text(seconds) for seconds in (119.0, 120.0, 215.4)] == ["119 s", "2 min", "3 min 35 s"]


def test_a_submission_that_can_not_be_loaded_is_explained_once(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    fault = AnswerFault(category="syntax error", message="invalid syntax (solution.py, line 1)")
    judge(database, *(failed(position, Verdict.INVALID_SUBMISSION, fault) for position in range(3)))

    page = ada.get(path).text

    assert "Invalid syntax (solution.py, line 1). No case was run." in page
    assert "Syntax error" in page
    assert "Invalid submission" not in page
    assert page.count("Not run") == 3
    assert " open>" not in page
    assert '<td class="number time">–</td>' in ada.get("/submissions").text


def test_a_case_with_nothing_more_to_tell_does_not_open(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    greedy = AnswerFault(category="memory limit exceeded", message="the memory limit of 256 MiB was exceeded")
    judge(database, *(failed(position, Verdict.MEMORY_LIMIT_EXCEEDED, greedy) for position in range(3)))

    page = ada.get(path).text

    assert "memory limit of 256 MiB was exceeded" in page
    assert "<details" not in page.partition('class="cases"')[2].partition("</ol>")[0]


def test_arguments_stand_in_the_order_of_the_parameters(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    judge(database, *all_right())

    page = ada.get(path).text

    assert page.index("<code>x</code>") < page.index("<code>scale</code>") < page.index("<code>options/weights</code>")


def test_the_kernels_of_a_sample_stand_with_their_grid_and_blocks(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    sample, *others = all_right()
    kernels = {"kernels": [CALL.as_json()], "kernel_evidence": "read in the program"}
    judge(database, replace(sample, report={**sample.report, **kernels}), *others)

    page = ada.get(path).text

    text = " ".join(re.sub("<[^>]+>", " ", page).split())
    assert "A grid of 4 × 2: 8 programs" in text
    assert "reads x (16, 64) f32 4.0 KiB 32 KiB reads y" in text
    assert "Read in the program. An interpreter ran the kernels, which says nothing about their speed." in text


def test_the_stream_of_a_finished_submission_ends_after_its_result(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    judge(database, *all_right())

    text = ada.get(f"{path}/events").text

    assert text.startswith("event: result\ndata: <div data-verdict data-final")
    assert text.endswith("event: done\ndata: \n\n")


def test_a_cancelled_submission_has_no_points() -> None:
    part = PartView(name="one", title="One", points=100, earned=None, accepted=0, cases=1)
    view = SubmissionView(
        id=uuid4(),
        problem="double",
        title="Double",
        revision=1,
        digest="",
        mode="submit",
        parameters=(),
        case_names=("small",),
        created_at=datetime.now(UTC),
        inputs=None,
        state="done",
        verdict=Verdict.CANCELLED,
        score=None,
        parts=(part,),
        cases=(),
    )

    result = describe_result(view)

    assert (result.parts, result.tally) == ((), "")
