"""An admin's day, by the REST API alone.

    python a_day.py http://127.0.0.1:8000 TOKEN

TOKEN is an admin's token (`allclose admin token create admin`). The script creates accounts and a problem, so run it
against a separate server. It needs httpx, and nothing of Allclose.

The problem is `spread.yaml` beside this file. Its reference divides by n, while its statement says n - 1, so a correct
submission is a wrong answer. The author corrects the reference, and the admin rejudges all submissions.
"""

import secrets
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

SLUG = "spread"
PACKAGE = (Path(__file__).parent / "spread.yaml").read_text()
# The author's correction: the reference, and the other accepted solution.
CORRECTED = PACKAGE.replace("/ len(x))", "/ (len(x) - 1))").replace("/ x.size)\n  wrong", "/ (x.size - 1))\n  wrong")
RIGHT = """\
import numpy as np


def spread(x):
    return np.std(x, ddof=1)
"""
COPIED = "def spread(x):\n    return (x - x.mean()).std()\n"
POLL_SECONDS = 1
# The answer to requests during a restore.
AWAY = httpx.codes.SERVICE_UNAVAILABLE


@dataclass(frozen=True, eq=False)
class Person:
    """A user with a token."""

    name: str
    client: httpx.Client

    def call(self, method: str, path: str, **more: Any) -> Any:
        """Return the server's answer as JSON. A refusal ends the script with its reason."""
        while (answer := self.client.request(method, path, **more)).status_code == AWAY:
            time.sleep(POLL_SECONDS)
        if answer.is_error:
            raise SystemExit(f"{self.name}: {method} {path}: {answer.json().get('detail', answer.text)}")
        is_json = answer.headers.get("content-type", "").startswith("application/json")
        return answer.json() if is_json and answer.content else answer.text


def say(text: str) -> None:
    print(text, flush=True)


def person(server: str, name: str, token: str) -> Person:
    headers = {"Authorization": f"Bearer {token}"}
    return Person(name, httpx.Client(base_url=f"{server}/api/v1", headers=headers, timeout=60))


def sign_up(server: str, name: str, invitation: str | None = None) -> Person:
    """Create an account and a token for it."""
    password = secrets.token_urlsafe(12)
    account = {"username": f"{name}-{secrets.token_hex(3)}", "password": password}
    anyone = Person("anyone", httpx.Client(base_url=f"{server}/api/v1", timeout=60))
    anyone.call("POST", "/users", json=account | ({"invitation": invitation} if invitation else {}))
    token = anyone.call("POST", "/tokens", json=account)["token"]
    return person(server, account["username"], token)


def invite_an_author(server: str, admin: Person) -> Person:
    made = admin.call(
        "POST", "/invitations", json={"role": "author", "note": "for the course on statistics", "days": 7}
    )
    say(f"invited an author: {made['link']}")
    author = sign_up(server, "author", made["invitation"])
    say(f"{author.name} signed up with it, and is an {author.call('GET', '/me')['role']}")
    return author


def publish(author: Person, package: str) -> None:
    """Send the package and wait until a worker has verified and published it."""
    headers = {"Content-Type": "application/yaml"}
    sent = author.call("PUT", f"/problems/{SLUG}", content=package.encode(), headers=headers)
    while sent["state"] in ("queued", "verifying"):
        sent = author.call("GET", f"/verifications/{sent['id']}?wait=30")
    if sent["state"] != "passed":
        raise SystemExit(f"the package was {sent['state']}, and not published: {sent['report'] or sent['notice']}")
    newest = author.call("GET", f"/problems/{SLUG}/revisions")["items"][0]
    say(f"{author.name} published {SLUG}, revision {newest['number']}")


def submit(student: Person, source: str) -> str:
    sent = student.call("POST", f"/problems/{SLUG}/submissions", json={"source": source, "mode": "submit"})
    return str(sent["id"])


def result(student: Person, submission: str) -> str:
    while (view := student.call("GET", f"/submissions/{submission}?wait=30"))["state"] != "done":
        pass
    return str(view["verdict"])


def watch_the_queue(admin: Person) -> None:
    """Wait until no judging is queued or running."""
    for worker in admin.call("GET", "/workers")["items"]:
        say(f"worker {worker['name']}: {worker['slots']} slots for {', '.join(worker['queues'])}")
    while any(each["depth"] or each["running"] for each in admin.call("GET", "/queue")["queues"]):
        time.sleep(POLL_SECONDS)
    say("the queue is empty")


def rejudge(admin: Person) -> None:
    """Rejudge all submissions of the older revision, look at the changes, and apply them."""
    wanted = {"chosen": {"problem": SLUG, "outdated": True}, "onto": "current"}
    found = admin.call("POST", "/rejudging-previews", json=wanted)
    say(f"{found['total']} submissions were judged by an older revision")
    begun = admin.call("POST", "/rejudgings", json={**wanted, "note": "the reference divided by n"})
    while begun["state"] == "judging":
        begun = admin.call("GET", f"/rejudgings/{begun['id']}?wait=30")
    for change in admin.call("GET", f"/rejudgings/{begun['id']}/changes?only_changed=true")["items"]:
        say(f"  {change['user']}: {change['old']['verdict']} → {change['new']['verdict']}, {change['kind']}")
    applied = admin.call("POST", f"/rejudgings/{begun['id']}/apply")
    say(f"the rejudging is {applied['state']}")


def suspend(admin: Person, student: Person) -> None:
    found = admin.call("GET", "/users", params={"q": student.name})["items"][0]
    admin.call("PATCH", f"/users/{found['id']}", json={"is_active": False})
    refused = student.client.get("/me").status_code
    say(f"{student.name} is suspended: their next request is a {refused}")


def export(admin: Person) -> None:
    lines = str(admin.call("GET", "/submissions/export", params={"problem": SLUG, "format": "csv"}))
    say(f"exported {len(lines.splitlines()) - 1} submissions")


def show_audit_log(admin: Person) -> None:
    for event in reversed(admin.call("GET", "/audit-events")["items"]):
        say(f"  {event['at'][:19]}  {event['actor'] or '(command)'}  {event['action']}")


def main(server: str, token: str) -> None:
    admin = person(server, "admin", token)
    author = invite_an_author(server, admin)
    publish(author, PACKAGE)
    careful, copying = sign_up(server, "careful"), sign_up(server, "copying")
    sent = {careful: submit(careful, RIGHT), copying: submit(copying, COPIED)}
    watch_the_queue(admin)
    say(f"{careful.name} is right, and is told: {result(careful, sent[careful])}")
    publish(author, CORRECTED)
    rejudge(admin)
    say(f"{careful.name} is told now: {result(careful, sent[careful])}")
    say(f"{copying.name} is told now: {result(copying, sent[copying])}")
    suspend(admin, copying)
    export(admin)
    show_audit_log(admin)


if __name__ == "__main__":
    main(*sys.argv[1:])
