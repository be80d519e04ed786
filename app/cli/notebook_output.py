"""The output of a cell that submits: the submission's page fragment as HTML, replaced as results arrive.

IPython in a terminal prints the same text as `allclose submit`.
"""

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING
from uuid import uuid4

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display, update_display
from IPython.terminal.interactiveshell import TerminalInteractiveShell

from app.cli.follow import explain_interruption, follow_live, page_of, wait_for_hint, watch
from app.cli.result_text import print_submission, submission_text
from app.submissions.view import SubmissionView
from app.web.render import STATIC, render_text
from app.web.result import describe_result

if TYPE_CHECKING:
    from app.cli.client import Client
    from app.submissions.view import SubmissionView


# The style sheets of the fragment, in the order of the page.
SHEETS = ("base.css", "result.css", "picture.css", "../../cli/notebook.css")
OUTER = ".allclose-result"
# The themes of notebook front ends, which may differ from the system's theme.
_LIGHT = '[data-jp-theme-light="true"] &, .vscode-light &'
_DARK = '[data-jp-theme-light="false"] &, .vscode-dark &'
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPACE = re.compile(r"\s+")
# Links to source lines and element IDs are removed: an output has no source beside it, and a page has many outputs.
_LINE_LINK = re.compile(r'<a href="#L\d+">(line \d+)</a>')
_ID = re.compile(r' id="case-[\w-]+"')


def submission_html(view: SubmissionView, page: str) -> str:
    """Render the submission. `page` is the address of its page."""
    # Without the form to cancel, which would be sent to the notebook's server.
    result = render_text("fragments/result.html", {"result": replace(describe_result(view), stop="")})
    own = _ID.sub("", _LINE_LINK.sub(r"\1", result))
    return render_text("fragments/in_notebook.html", {"style": style(), "own": own, "page": page, "view": view})


@cache
def style() -> str:
    """Return the styles, nested below one class so that they do not affect the rest of the notebook.

    Their specificity is high, so that the notebook's styles do not affect the output.
    """
    text = " ".join((STATIC / name).read_text() for name in SHEETS)
    flat = _SPACE.sub(" ", _COMMENT.sub("", text))
    themes = f"{_LIGHT} {{ color-scheme: light }} {_DARK} {{ color-scheme: dark }}"
    return f"{OUTER * 3} *:not(svg *, svg) {{ all: revert }} {OUTER * 5} {{ {flat.replace(':root', '&')} {themes} }}"


def show_progress(shell: InteractiveShell, client: "Client", submission_id: str) -> None:
    """Show the submission until its verdict. An interrupt prints the submission's address. Raises ClientError."""
    try:
        with explain_interruption(client, submission_id):
            if isinstance(shell, TerminalInteractiveShell):
                print_submission(watch(client, submission_id), page_of(client, submission_id))
            else:
                _replace_output(client, submission_id)
    except KeyboardInterrupt:
        return


def _replace_output(client: "Client", submission_id: str) -> None:
    page, name = page_of(client, submission_id), f"allclose-{uuid4()}"
    show = display
    for view in follow_live(client, submission_id):
        show(_representations(view, page), raw=True, display_id=name)
        show = update_display
    if view.hint_pending:
        update_display(_representations(wait_for_hint(client, view), page), raw=True, display_id=name)


def _representations(view: "SubmissionView", page: str) -> dict[str, str]:
    """Return the output as HTML and as plain text."""
    return {"text/html": submission_html(view, page), "text/plain": submission_text(view, page)}
