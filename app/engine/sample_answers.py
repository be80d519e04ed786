"""Run a package's reference and its known mistakes on the samples, for the record that ships beside the package."""

from base64 import b64encode
from dataclasses import replace
from threading import Event

from app.catalog.folder import digest
from app.catalog.package import Package
from app.catalog.sample_record import SampleRecord
from app.engine.hints import list_mistakes, mistake_outputs, pack
from app.engine.prepare import Draw, prepare
from sandbox.pool import Pool

# Samples have the same inputs in every revision and variant.
ANY_DRAW = Draw(b"", 0)
# The answers of all mistakes together. Each server computes larger ones itself.
MOST_BYTES = 128 * 2**10


def record_samples(package: Package, pool: Pool, abort: Event) -> SampleRecord:
    """Raises JudgeFailed, BoxLost, Aborted."""
    samples = tuple(case for case in package.manifest.cases if case.visibility == "sample")
    part = replace(package, manifest=package.manifest.model_copy(update={"cases": samples}))
    cases = prepare(part, ANY_DRAW, pool, abort).cases if samples else ()
    answers = mistake_outputs(part, list_mistakes(part), cases, pool, abort) if samples else {}
    packed = {name: b64encode(pack(each)).decode() for name, each in answers.items()}
    return SampleRecord(
        digest=digest(package.files),
        previews={case.name: (case.inputs_preview, case.expected_preview) for case in cases},
        mistakes=packed if sum(map(len, packed.values())) <= MOST_BYTES else {},
    )
