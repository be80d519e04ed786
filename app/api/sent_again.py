"""What happens when a request is sent again because its answer was lost: nothing is done twice unnoticed.

GET changes nothing, and PUT, PATCH and DELETE say what shall be: the same again is no change, and is answered alike. Of
every POST it is said here: it is safe by what it does, by a key that its sender chooses, or not at all.
"""

from typing import Literal

Again = Literal["safe", "key", "unsafe"]

KEY = "Idempotency-Key"

# By operation: what the second of two does.
POSTS: dict[str, str] = {
    "create_user": "The second is a 409, since the name is taken.",
    "create_token": "The second makes another token. Revoke the one whose secret you never saw.",
    "reveal_hint": "The number names the hint, and one that is revealed stays so.",
    "answer_question": "The same answer is kept; another is a 409.",
    "retake_quiz": "An attempt without an answer goes on.",
    "show_solution": "It is open already.",
    "publish_revision": "The revision is the current one already.",
    "publish_verification": "It is published already.",
    "cancel_verification": "One that is done stays as it is.",
    "submit": "With the same `Idempotency-Key`, it is the same submission; without one, another.",
    "cancel_submission": "One that is done stays as it is.",
    "copy_submission": "The editor holds it already.",
    "create_invitation": "The second makes another invitation. Revoke the one whose link you never saw.",
    "ask_for_password": "The second sends another link, and no more are sent for half an hour; each works once.",
    "make_reset_link": "The second makes another link; each works once.",
    "preview_rejudging": "It changes nothing.",
    "create_rejudging": "With the same `Idempotency-Key`, it is the same rejudging; without one, another.",
    "apply_rejudging": "It is applied already.",
    "cancel_rejudging": "It is cancelled already.",
    "drain_worker": "It takes no more already.",
    "resume_worker": "It takes judgings already; one that was `away` is not there any more (404).",
    "create_backup": "The second is a 409 while the first is written; after that, another backup.",
    "restore_backup": "The second is a 409 while the first goes on; after that, it is done once more.",
}
_UNSAFE = {
    *("create_token", "create_invitation", "ask_for_password", "make_reset_link"),
    *("create_backup", "restore_backup"),
}
_BY_KEY = {"submit", "create_rejudging"}


def again(method: str, operation_id: str) -> Again:
    if method != "POST":
        return "safe"
    if operation_id in _BY_KEY:
        return "key"
    return "unsafe" if operation_id in _UNSAFE or operation_id not in POSTS else "safe"
