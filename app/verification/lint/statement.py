"""Lint rules for the texts of a package: the statement's sections, formulas, links, TODOs and the licence."""

import re
from collections.abc import Iterator
from itertools import takewhile
from urllib.parse import urlsplit

from markdown_it.token import Token

from app.catalog.figure import is_figure
from app.catalog.folder import MANIFEST_FILE
from app.catalog.maths import DOLLARS, is_readable, make_parser
from app.catalog.source import Source
from app.catalog.verification_report import Finding
from app.verification.package_texts import PackageTexts, finding_at

SECTIONS = ("Why this matters", "Worked example", "Common pitfalls", "Problem", "Inputs", "Output")
# Only for what `doc` of the parameters can't say.
OPTIONAL = "Inputs"
HEADING = re.compile(r"^##\s+(.+?)\s*#*\s*$")
# A row of a table, an item of a list or a line that begins with names in code, as in "- `x`, `y`: the points".
MEANING = re.compile(r"^\s*(?:\|\s*|[-*+]\s+)?(?:\*\*)?`\w+`(?:(?:,| and)\s*`\w+`)*(?:\*\*)?\s*(?:\||:|–|—)")
DESCRIBED = re.compile(r"`(\w+)`")
FENCE = re.compile(r"^\s*(```|~~~)")
FORMULA_TOKENS = ("math_inline", "math_inline_double", "math_block")
UNREAD_FORMULA = re.compile(r"\$[^$]*[\\^_=][^$]*\$")
# A code span, or a formula.
SPAN = re.compile(rf"`[^`]*`|{DOLLARS.pattern}")
MAX_SHOWN = 60
HTML = re.compile(r"</?(?:a|b|br|div|em|i|iframe|img|p|pre|script|span|strong|style|sub|sup|table)\b[^>]*>", re.I)
TODO = re.compile(r"\bTODO\b")


def check_sections(texts: PackageTexts) -> Iterator[Finding]:
    source = texts.sources["statement"]
    found = list(_headings(source.text))
    names = [name for name, _, _ in found]
    if missing := [f"`## {section}`" for section in SECTIONS if section not in names and section != OPTIONAL]:
        is_one = len(missing) == 1
        message = f"section {missing[0]} is missing" if is_one else f"sections {', '.join(missing)} are missing"
        remedy = f"write {'it' if is_one else 'them'}: students look for them in every statement"
        yield finding_at(source, 1, "error", message, remedy)
    for name, line, is_empty in found:
        if name in SECTIONS and is_empty:
            yield finding_at(source, line, "error", f"section `## {name}` is empty", "write it")
    known = [name for name in names if name in SECTIONS]
    if len(set(known)) < len(known):
        yield finding_at(source, 1, "warning", "a section appears twice", "merge the two")
    elif known != [section for section in SECTIONS if section in known]:
        message = "the sections are in a different order than in other problems"
        yield finding_at(source, 1, "warning", message, f"use this order: {', '.join(SECTIONS)}")


def check_meanings(texts: PackageTexts) -> Iterator[Finding]:
    """Check that each parameter has its meaning in its `doc`, and no second one in the section "Inputs"."""
    for index, parameter in enumerate(texts.manifest.parameters):
        if not parameter.doc:
            message = f"the page does not say what {parameter.name} means"
            yield texts.finding("warning", ("parameters", index), message, "write it as `doc` of the parameter")
    source = texts.sources["statement"]
    section, names = "", {each.name for each in (*texts.manifest.parameters, *texts.manifest.case_inputs)}
    for number, line in enumerate(source.text.split("\n"), start=1):
        section = heading[1] if (heading := HEADING.match(line)) else section
        begin = MEANING.match(line) if section == OPTIONAL else None
        if told := [name for name in DESCRIBED.findall(begin[0]) if name in names] if begin else []:
            verb = "is" if len(told) == 1 else "are"
            message = f"{' and '.join(told)} {verb} explained a second time: the page shows `doc` of problem.yaml"
            remedy = "move what `doc` does not say there, and remove this line"
            yield finding_at(source, number, "error", message, remedy)


def _headings(text: str) -> Iterator[tuple[str, int, bool]]:
    """Yield the name and line of each heading, and whether its section is empty."""
    found: list[tuple[str, int]] = []
    filled: set[int] = set()
    in_fence = False
    for number, line in enumerate(text.split("\n"), start=1):
        in_fence ^= FENCE.match(line) is not None
        heading = None if in_fence else HEADING.match(line)
        if heading:
            found.append((heading[1], number))
        elif found and line.strip():
            filled.add(found[-1][1])
    yield from ((name, number, number not in filled) for name, number in found)


def check_formulas(texts: PackageTexts) -> Iterator[Finding]:
    for source in _markdown_texts(texts):
        for token, line in _tokens_with_lines(source):
            if token.type in FORMULA_TOKENS and not is_readable(token.content.strip()):
                formula = token.content.strip()[:MAX_SHOWN]
                remedy = "use plain LaTeX; pages show no macros, no colours, and no \\ or & outside of an environment"
                yield finding_at(source, line, "error", f"the formula {formula} can't be rendered", remedy)
            elif token.type in ("table_open", "paragraph_open") and token.map:
                yield from _bars_in_rows(source, *token.map)
            elif token.type == "text" and (unread := UNREAD_FORMULA.search(token.content)):
                message = f"{unread[0][:MAX_SHOWN]} is shown as plain text, not as a formula"
                yield finding_at(source, line, "warning", message, "put a space between a digit and a dollar sign")


def _bars_in_rows(source: Source, first: int, end: int) -> Iterator[Finding]:
    """Find bars that end a table's cell inside of a formula or a code span. Tables also turn `\\|` into `|`."""
    for number, row in enumerate(source.text.split("\n")[first:end], start=first + 1):
        for span in SPAN.finditer(row) if row.lstrip().startswith("|") else ():
            is_code = span[0].startswith("`")
            if "|" in (span[0].replace(r"\|", "") if is_code else span[0]):
                message = f"the bar in {span[0][:MAX_SHOWN]} ends the cell of the table"
                remedy = r"write `\|`" if is_code else r"write \lvert x \rvert, \lVert x \rVert or \mid"
                yield finding_at(source, number, "warning", message, remedy)


def check_links(texts: PackageTexts) -> Iterator[Finding]:
    for source in _markdown_texts(texts):
        for token, line in _tokens_with_lines(source):
            if token.type == "link_open":
                yield _link_finding(source, line, str(token.attrGet("href")))
            elif token.type == "image":
                yield from _image_findings(texts, source, line, token)
            elif token.type == "text" and (tag := HTML.search(token.content)):
                message = f"the HTML tag {tag[0]} is shown as plain text"
                yield finding_at(source, line, "warning", message, "use Markdown instead")


def _image_findings(texts: PackageTexts, source: Source, line: int, token: Token) -> Iterator[Finding]:
    path = str(token.attrGet("src"))
    if path not in texts.package.files or not is_figure(path):
        message = f"the image {path} is not shown: problem pages show the package's own figures only"
        yield finding_at(
            source, line, "error", message, "draw it as figures/<name>.svg, or use words or a table instead"
        )
    elif source.file != texts.sources["statement"].file and source is not texts.sources.get("editorial"):
        message = f"the image {path} is not shown here: only the statement and the editorial show figures"
        yield finding_at(source, line, "error", message, "use words here")
    elif not token.content.strip():
        message = f"the figure {path} has no description, which readers of the page may need"
        yield finding_at(
            source, line, "warning", message, "write it between the brackets: `![what the figure shows](…)`"
        )


def check_figures(texts: PackageTexts) -> Iterator[Finding]:
    shown = "".join(texts.sources[key].text for key in ("statement", "editorial") if key in texts.sources)
    for path in filter(is_figure, texts.package.files):
        if path not in shown:
            message = "no text shows this figure"
            remedy = f"show it with `![what it shows]({path})`, or remove the file"
            yield Finding(check="lint", severity="warning", message=message, remedy=remedy, file=path)


def _link_finding(source: Source, line: int, address: str) -> Finding:
    if address.startswith("//") or urlsplit(address).scheme.lower() in ("http", "https"):
        message = f"the link {address} points outside the package"
        return finding_at(source, line, "warning", message, "copy the facts that students need: other sites change")
    message = f"the link {address} does not work on a problem's page"
    return finding_at(source, line, "error", message, "remove it")


def check_unfinished(texts: PackageTexts) -> Iterator[Finding]:
    for source in _texts_without_todo(texts):
        if match := TODO.search(source.text):
            line = source.text.count("\n", 0, match.start()) + 1
            yield finding_at(source, line, "error", "contains TODO", "write the missing part")
    comments = takewhile(lambda line: line.startswith("#"), texts.package.files[MANIFEST_FILE].decode().split("\n"))
    for line, comment in enumerate(comments, start=1):
        if TODO.search(comment):
            source = Source(comment, MANIFEST_FILE)
            yield finding_at(source, line, "error", "the comment says TODO", "do that, and remove the comment")
            return


def _texts_without_todo(texts: PackageTexts) -> Iterator[Source]:
    """Yield every text but the starter, where a TODO tells the student what to write."""
    starter = texts.sources["starter"]
    yield from (source for source in texts.public_texts() if source is not starter)
    yield texts.text(("title",), texts.manifest.title)
    yield from (source for key, source in texts.sources.items() if key not in ("statement", "starter"))
    yield from (known.source for known in texts.submissions)


def check_licence(texts: PackageTexts) -> Iterator[Finding]:
    if texts.manifest.license is None:
        message = "the package has no licence, so other people may not use, change or translate it"
        yield texts.finding("warning", (), message, "add `license: CC-BY-4.0` or another licence")


def _markdown_texts(texts: PackageTexts) -> Iterator[Source]:
    yield from (source for source in texts.public_texts() if not source.file.endswith(".py"))
    yield from (texts.sources[key] for key in ("editorial", "notes") if key in texts.sources)


def _tokens_with_lines(source: Source) -> Iterator[tuple[Token, int]]:
    """Yield the tokens of the page's Markdown parser, each with the line where its block begins."""
    for token in make_parser(source.text).parse(source.text):
        line = token.map[0] + 1 if token.map else 1
        yield token, line
        yield from ((child, line) for child in token.children or ())
