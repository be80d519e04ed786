"""Whether the starter and the reference have the parameters that the page of the problem shows."""

import ast
from collections.abc import Iterator

from app.catalog.source import line_of, parameters_of
from app.catalog.verification_report import Finding, Severity
from app.verification.lint.paper import Paper, at


def find(paper: Paper) -> Iterator[Finding]:
    manifest = paper.package.manifest
    shown = tuple(parameter.name for parameter in manifest.parameters)
    for key in ("starter", "reference"):
        source = paper.sources[key]
        found = parameters_of(ast.parse(source.text), manifest.entry_point)
        if found is None or found == shown:
            continue
        # With another number of parameters, code that follows the page can't run.
        severity: Severity = "warning" if len(found) == len(shown) else "error"
        message = f"{manifest.entry_point} takes ({', '.join(found)}), but the page shows ({', '.join(shown)})"
        is_mixed = paper.package.driver is not None and manifest.inputs is None
        remedy = (
            "say under `parameters` what the function takes, and under `inputs` what cases give to driver.py"
            if is_mixed
            else "name them alike here and under `parameters`, in the same order"
        )
        yield at(source, line_of(source, manifest.entry_point), severity, message, remedy)
