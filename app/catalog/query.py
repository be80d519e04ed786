"""Reading a published problem, as anybody may see it. `search` finds several."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.example_inputs import write_example
from app.catalog.exercise import list_versions
from app.catalog.model import IS_CURRENT, ExpectedOutput, Problem, Revision
from app.catalog.signature import described_signature
from app.catalog.view import ExerciseVersion, ProblemDetail, SampleCase
from app.database import storable
from app.errors import ProblemNotFound

__all__ = ["ProblemDetail", "SampleCase", "get_problem"]


def get_problem(session: Session, slug: str) -> ProblemDetail:
    """Raises NotFound."""
    query = select(Problem, Revision).join(Revision, IS_CURRENT).where(Problem.slug == storable(slug))
    found = session.execute(query).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    problem, revision = found
    return _detail(problem, revision, _samples(session, revision), list_versions(session, revision))


def _samples(session: Session, revision: Revision) -> tuple[SampleCase, ...]:
    """Samples are the same in every variant, so that the first has what there is to see."""
    query = select(ExpectedOutput.case_name, ExpectedOutput.inputs_preview, ExpectedOutput.expected_preview).where(
        ExpectedOutput.revision_id == revision.id,
        ExpectedOutput.variant == 0,
        ExpectedOutput.device == ("gpu" if revision.manifest["limits"]["gpu"] else "cpu"),
    )
    previews = {name: (inputs, expected) for name, inputs, expected in session.execute(query)}
    return tuple(
        SampleCase(name=case["name"], doc=case["doc"], inputs=inputs, expected=expected)
        for case in revision.manifest["cases"]
        if case["visibility"] == "sample"
        for inputs, expected in [previews.get(case["name"], (None, None))]
    )


def _detail(
    problem: Problem, revision: Revision, samples: tuple[SampleCase, ...], versions: tuple[ExerciseVersion, ...]
) -> ProblemDetail:
    hidden = sum(case["visibility"] == "hidden" for case in revision.manifest["cases"])
    facts = {
        "slug": problem.slug,
        "revision": revision.number,
        "digest": revision.digest,
        "versions": versions,
        "samples": samples,
        "example_inputs": write_example(revision.manifest, samples),
        "hidden_cases": hidden,
    }
    signature = described_signature(revision.manifest, revision.files)
    return ProblemDetail.model_validate(revision.manifest | signature | facts)
