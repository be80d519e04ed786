"""The problems of an admin: how many submissions each has, and whether it is ready to judge."""

from sqlalchemy.orm import Session

from app.admin.revision import list_current
from app.catalog.model import ExpectedOutput
from tests.factories import make_judging, make_problem, make_submission, make_user


def test_a_problem_is_ready_when_each_variant_has_its_expected_outputs(session: Session) -> None:
    revision = make_problem(session, "some", title="Some", variants=2)
    make_judging(session, make_submission(session, make_user(session), revision).id)
    make_judging(session, make_submission(session, None, make_problem(session, "other")).id)
    facts = {"inputs": b"", "expected": b"", "inputs_preview": {}, "expected_preview": {}, "image": ""}
    for case in ("small", "large"):
        place = {"revision_id": revision.id, "variant": 0, "device": "cpu", "case_name": case}
        session.add(ExpectedOutput(**place, **facts, versions={}))

    _other, state = list_current(session)

    assert (state.problem, state.number, state.submissions) == ("some", 1, 1)
    assert (state.variants, state.ready_variants, state.is_ready) == (2, 1, False)
