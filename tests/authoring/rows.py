"""Factories of rows and reports for tests of authoring."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import Session

from app.accounts.model import User
from app.authoring.model import Verification
from app.authoring.send import Sending, send
from app.catalog.package import Package
from app.catalog.verification_report import CheckLine, Finding, Report
from tests.catalog.packages import make_package
from tests.factories import make_user


def make_verification(
    session: Session, /, package: Package | None = None, user: User | None = None, **wish: Any
) -> Verification:
    """Make a package that waits for verification."""
    sender = user or make_user(session, role="author")
    usual: dict[str, Any] = {"publish": True}
    return send(session, Sending(user_id=sender.id, package=package or make_package(), **usual | wish))


def make_report(passed: bool = True) -> Report:
    finding = Finding(
        check="known",
        severity="error",
        message="gets accepted; expected wrong_answer",
        remedy="add a case to `problem.yaml`",
        file="submissions/wrong_answer/unscaled.py",
    )
    return Report(
        problem="scaled_sum",
        digest="0" * 64,
        title="Scaled sum",
        verified_at=datetime(2026, 1, 1, tzinfo=UTC),
        seconds=1.0,
        is_quick=True,
        passed=passed,
        checks=(CheckLine(check="lint", title="Files", mark="passed", summary="8 files", seconds=0.1),),
        findings=() if passed else (finding,),
    )
