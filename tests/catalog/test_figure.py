"""Figures are SVG files that stand alone."""

import pytest
from sqlalchemy.orm import Session

from app.catalog.fault import PackageInvalid
from app.catalog.figure import MAX_FIGURE_BYTES
from app.catalog.package import Package, package_from_files
from app.catalog.publish import publish
from app.catalog.query import get_problem
from tests.catalog.packages import FILES
from tests.verification.bench import package_of

OPEN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10 10">'
GOOD = (
    f'<?xml version="1.0" encoding="UTF-8"?>{OPEN}<style>rect {{ fill: url(#shade) }}</style>'
    '<rect width="5" height="5" fill="url(&quot;#shade&quot;)"/><use href="#a"/></svg>'
)
REFUSED = {
    "not XML": ("<svg", "is not XML"),
    "no SVG": ("<html/>", "is not an SVG file"),
    "no viewBox": ('<svg xmlns="http://www.w3.org/2000/svg"/>', "has no viewBox"),
    "script": (f"{OPEN}<script>alert(1)</script></svg>", "contains <script>"),
    "handler": (f'{OPEN}<rect onload="alert(1)"/></svg>', "has the attribute onload"),
    "link": (f'{OPEN}<a xlink:href="https://example.org"/></svg>', "refers to 'https://example.org'"),
    "foreign style": (f"{OPEN}<style>@import 'x.css'</style></svg>", "loads something in its <style>"),
    "foreign paint": (f'{OPEN}<rect fill="url(https://example.org/#a)"/></svg>', "in fill"),
    "HTML inside": (f"{OPEN}<foreignObject/></svg>", "contains <foreignObject>"),
    "HTML's script": (
        f'{OPEN}<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script></svg>',
        "contains <script>",
    ),
    "HTML": (f'{OPEN}<meta xmlns="http://www.w3.org/1999/xhtml" content="0"/></svg>', "contains <meta>"),
    "style in parts": (f"{OPEN}<style><g/>@import 'x.css'</style></svg>", "loads something in its <style>"),
    "escaped style": (f"{OPEN}<style>@\\69mport 'x.css'</style></svg>", "loads something in its <style>"),
    "style sheet": (f'<?xml-stylesheet type="text/xsl" href="https://example.org/a"?>{OPEN}</svg>', "an instruction"),
    "other encoding": (f'<?xml version="1.0" encoding="gbk"?>{OPEN}</svg>', "has an instruction"),
    "entities": (f"<!DOCTYPE svg [<!ENTITY a 'b'>]>{OPEN}</svg>", "declares a document type"),
    "too large": (f"{OPEN}<desc>{'a' * MAX_FIGURE_BYTES}</desc></svg>", "but a figure may have"),
}


def with_figure(svg: str, path: str = "figures/curve.svg") -> Package:
    package = package_of("running_mean")
    return package_from_files("running_mean", {**package.files, path: svg.encode()})


def test_a_figure_that_stands_alone_is_part_of_the_package() -> None:
    package = with_figure(GOOD)

    assert package.files["figures/curve.svg"] == GOOD.encode()


@pytest.mark.parametrize("name", REFUSED)
def test_a_figure_that_would_run_or_load_something_is_refused(name: str) -> None:
    svg, message = REFUSED[name]

    with pytest.raises(PackageInvalid) as refused:
        with_figure(svg)

    assert message in str(refused.value)


def test_other_files_among_the_figures_are_refused() -> None:
    with pytest.raises(PackageInvalid, match="does not belong to a package"):
        with_figure(GOOD, "figures/curve.png")


def test_students_get_the_figures_of_the_statement_and_not_those_of_the_editorial(session: Session) -> None:
    figures = {"figures/curve.svg": GOOD, "figures/answer.svg": GOOD}
    texts = {
        "statement.md": "Sum up.\n\n![a curve](figures/curve.svg)\n",
        "editorial.md": "![so](figures/answer.svg)\n",
    }
    files = {path: text.encode() for path, text in (FILES | figures | texts).items()}
    publish(session, package_from_files("scaled_sum", files))

    problem = get_problem(session, "scaled_sum")

    assert problem.figures == {"figures/curve.svg": GOOD}
