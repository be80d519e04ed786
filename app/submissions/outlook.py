"""What a submission's results will be of."""

from collections.abc import Mapping
from typing import Any

from app.catalog.own_inputs import OWN_INPUTS
from app.catalog.parameter import list_case_inputs
from app.submissions.model import Submission


def list_inputs(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of what a case gives, in their order."""
    return tuple(each["name"] for each in list_case_inputs(manifest))


def list_case_names(manifest: Mapping[str, Any], submission: Submission) -> tuple[str, ...]:
    """Of the cases that it is judged on, in the problem's order."""
    if submission.inputs is not None:
        return (OWN_INPUTS,)
    is_whole = submission.mode == "submit"
    return tuple(case["name"] for case in manifest.get("cases", ()) if is_whole or case["visibility"] == "sample")
