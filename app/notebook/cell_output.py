"""What stands below a cell while its submission is judged, and when it is done.

A notebook's front end replaces one output as results come in. IPython in a terminal shows what `allclose submit` does.
"""

from typing import TYPE_CHECKING
from uuid import uuid4

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display, update_display
from IPython.terminal.interactiveshell import TerminalInteractiveShell

from app.cli.following import LOOK_SECONDS, follow, left_behind, page_of, wait_for_hint, watch
from app.cli.result_text import print_submission, submission_text
from app.notebook.html import submission_html

if TYPE_CHECKING:
    from app.client.client import Client
    from app.submissions.view import SubmissionView


def follow_here(shell: InteractiveShell, client: "Client", submission_id: str) -> None:
    """Raises ClientError. Interrupted, it has said where the submission can be seen, and that is all."""
    try:
        with left_behind(client, submission_id):
            if isinstance(shell, TerminalInteractiveShell):
                print_submission(watch(client, submission_id), page_of(client, submission_id))
            else:
                _replace_output(client, submission_id)
    except KeyboardInterrupt:
        return


def _replace_output(client: "Client", submission_id: str) -> None:
    page, name = page_of(client, submission_id), f"allclose-{uuid4()}"
    show = display
    for view in follow(client, submission_id, LOOK_SECONDS):
        show(_representations(view, page), raw=True, display_id=name)
        show = update_display
    if view.hint_pending:
        update_display(_representations(wait_for_hint(client, view), page), raw=True, display_id=name)


def _representations(view: "SubmissionView", page: str) -> dict[str, str]:
    """For those that show HTML, and for those that don't."""
    return {"text/html": submission_html(view, page), "text/plain": submission_text(view, page)}
