"""What the checks are called before people."""

from app.catalog.verification.report import CheckName

TITLES: dict[CheckName, str] = {
    "lint": "files and texts",
    "reference": "the reference, twice",
    "known": "known submissions",
    "trivial": "trivial answers",
    "mutation": "mutants of the reference",
    "kill_matrix": "what each case catches",
    "calibration": "the tolerance",
    "limits": "limits and cost",
    "mistakes": "telling mistakes apart",
}
