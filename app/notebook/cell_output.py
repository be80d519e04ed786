"""What stands below a cell while its submission is judged, and when it is done.

A notebook's front end replaces one output as results come in. IPython in a terminal shows what `allclose submit` does.

A submission as HTML for the output of a cell: the page's own fragment, with the page's rules kept to it.
"""

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING
from uuid import uuid4

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display, update_display
from IPython.terminal.interactiveshell import TerminalInteractiveShell

from app.cli.follow import LIVE_POLL_SECONDS, explain_interruption, follow, page_of, wait_for_hint, watch
from app.cli.result_text import print_submission, submission_text
from app.submissions.view import SubmissionView
from app.web.render import STATIC, render_text
from app.web.result import describe_result

if TYPE_CHECKING:
    from app.client.client import Client
    from app.submissions.view import SubmissionView


# What the fragment of a result needs, in the order in which the page has them.
SHEETS = ("base.css", "result.css", "picture.css", "../../notebook/notebook.css")
OUTER = ".allclose-result"
# What notebooks call their themes, which need not be what the system prefers.
_LIGHT = '[data-jp-theme-light="true"] &, .vscode-light &'
_DARK = '[data-jp-theme-light="false"] &, .vscode-dark &'
_ROOT = re.compile(r":root \{(.*?)\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPACE = re.compile(r"\s+")
# A cell's output has no source beside it, and may stand on a page with others like it.
_LINE_LINK = re.compile(r'<a href="#L\d+">(line \d+)</a>')
_ID = re.compile(r' id="case-[\w-]+"')


def submission_html(view: SubmissionView, page: str) -> str:
    """`page`: the address where it can be seen."""
    # No form: it would go to the notebook's server.
    result = render_text("fragments/result.html", {"result": replace(describe_result(view), stop="")})
    own = _ID.sub("", _LINE_LINK.sub(r"\1", result))
    return render_text("fragments/in_notebook.html", {"style": style(), "own": own, "page": page, "view": view})


@cache
def style() -> str:
    """Nested below one class, so that no rule reaches the rest of the notebook, and so specific that none of its own
    comes in."""
    text = " ".join((STATIC / name).read_text() for name in SHEETS)
    flat = _SPACE.sub(" ", _COMMENT.sub("", text))
    light, dark = _ROOT.findall(flat)[:2]
    themes = f"{_LIGHT} {{ color-scheme: light; {light} }} {_DARK} {{ color-scheme: dark; {dark} }}"
    return f"{OUTER * 3} *:not(svg *, svg) {{ all: revert }} {OUTER * 5} {{ {flat.replace(':root', '&')} {themes} }}"


def follow_here(shell: InteractiveShell, client: "Client", submission_id: str) -> None:
    """Raises ClientError. Interrupted, it has said where the submission can be seen, and that is all."""
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
    for view in follow(client, submission_id, LIVE_POLL_SECONDS):
        show(_representations(view, page), raw=True, display_id=name)
        show = update_display
    if view.hint_pending:
        update_display(_representations(wait_for_hint(client, view), page), raw=True, display_id=name)


def _representations(view: "SubmissionView", page: str) -> dict[str, str]:
    """For those that show HTML, and for those that don't."""
    return {"text/html": submission_html(view, page), "text/plain": submission_text(view, page)}
