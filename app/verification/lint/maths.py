"""Formulas that a page would show as they were written."""

import re
from collections.abc import Iterator

from app.catalog.maths import is_readable
from app.catalog.verification_report import Finding
from app.verification.lint.markdown import markdown_texts, tokens_of
from app.verification.lint.paper import Paper, at

FORMULAS = ("math_inline", "math_inline_double", "math_block")
UNREAD = re.compile(r"\$[^$]*[\\^_=][^$]*\$")
MAX_SHOWN = 60


def find(paper: Paper) -> Iterator[Finding]:
    for source in markdown_texts(paper):
        for token, line in tokens_of(source):
            if token.type in FORMULAS and not is_readable(token.content.strip()):
                formula = token.content.strip()[:MAX_SHOWN]
                remedy = "use commands of plain LaTeX maths; \\def and \\newcommand are refused"
                yield at(source, line, "error", f"the formula {formula} can't be shown", remedy)
            elif token.type == "text" and (unread := UNREAD.search(token.content)):
                message = f"{unread[0][:MAX_SHOWN]} is shown as it is written"
                remedy = "leave a blank between a digit and a dollar sign"
                yield at(source, line, "warning", message, remedy)
