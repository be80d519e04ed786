"""An admin's day, by the REST API alone: what each call is for, in the order in which a day brings it.

    python a_day.py http://127.0.0.1:8000 TOKEN

TOKEN is an admin's (`allclose admin token create admin`). It makes accounts and a problem: try it on a server of its
own. The problem is `spread.yaml` beside this file, whose reference divides by n where its statement says n - 1; a
student is right and told that they are wrong, until the author mends it and the admin has everybody judged again.
In the evening the admin makes a backup, loses something, and puts the backup back.
Needs httpx, nothing of Allclose.
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
# What the author mends: the reference, and the other solution that is to be right.
MENDED = PACKAGE.replace("/ len(x))", "/ (len(x) - 1))").replace("/ x.size)\n  wrong", "/ (x.size - 1))\n  wrong")
RIGHT = """\
import numpy as np


def spread(x):
    return np.std(x, ddof=1)
"""
COPIED = "def spread(x):\n    return (x - x.mean()).std()\n"
LOOK_AGAIN_SECONDS = 1
# While a backup takes the place of everything, for a moment.
AWAY = httpx.codes.SERVICE_UNAVAILABLE


@dataclass(frozen=True, eq=False)
class Person:
    """Somebody with a token."""

    name: str
    client: httpx.Client

    def call(self, method: str, path: str, **more: Any) -> Any:
        """What the server answers, as JSON; what it refuses ends the day with its reason."""
        while (answer := self.client.request(method, path, **more)).status_code == AWAY:
            time.sleep(LOOK_AGAIN_SECONDS)
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
    """A new account, and a token for it."""
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
    say(f"{author.name} signed up by it, and is an {author.call('GET', '/me')['role']}")
    return author


def publish(author: Person, package: str) -> None:
    """Sent, verified by a worker, published when it has passed."""
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
    """Until nothing waits and nothing runs."""
    for worker in admin.call("GET", "/workers")["items"]:
        say(f"worker {worker['name']}: {worker['slots']} slots for {', '.join(worker['queues'])}")
    while any(each["depth"] or each["running"] for each in admin.call("GET", "/queue")["queues"]):
        time.sleep(LOOK_AGAIN_SECONDS)
    say("the queue is empty")


def judge_again(admin: Person) -> None:
    """All that was judged by the older revision, looked at before it counts."""
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


def export(admin: Person) -> str:
    lines = str(admin.call("GET", "/submissions/export", params={"problem": SLUG, "format": "csv"}))
    say(f"exported {len(lines.splitlines()) - 1} submissions")
    return lines


def back_up(admin: Person) -> str:
    """The backup's name. Who keeps one elsewhere gets it from `/backups/{name}/file`."""
    made = admin.call("POST", "/backups")
    while made["state"] == "writing":
        made = admin.call("GET", f"/backups/{made['name']}?wait=30")
    if not made["is_restorable"]:
        raise SystemExit(f"no backup was made: {made['notice']}")
    rows = made["rows"]
    say(f"backed up {rows['users']} users, {rows['problems']} problems, {rows['submissions']} submissions")
    return str(made["name"])


def restore(admin: Person, backup: str) -> None:
    """In the place of everything. What is being judged is judged again, if the backup has it."""
    put = admin.call("POST", f"/backups/{backup}/restore", json={"replace": True})
    while put["restoration"]["state"] == "running":
        put = admin.call("GET", f"/backups/{backup}?wait=30")
    say(f"the restore is {put['restoration']['state']} {put['restoration']['notice'] or ''}".strip())


def lose_something(admin: Person, student: Person) -> None:
    """What nobody meant to do."""
    found = admin.call("GET", "/users", params={"q": student.name})["items"][0]
    admin.call("DELETE", f"/users/{found['id']}")
    admin.call("PATCH", "/settings", json={"announcement": "closed for ever"})
    left = len(admin.call("GET", "/submissions?everyone=true")["items"])
    say(f"{student.name} is erased, and {left} submission is left")


def what_was_done(admin: Person) -> None:
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
    publish(author, MENDED)
    judge_again(admin)
    say(f"{careful.name} is told now: {result(careful, sent[careful])}")
    say(f"{copying.name} is told now: {result(copying, sent[copying])}")
    suspend(admin, copying)
    before = export(admin)
    backup = back_up(admin)
    lose_something(admin, careful)
    restore(admin, backup)
    say("all is as it was" if export(admin) == before else "something is not as it was")
    say(f"{careful.name} is there again, and is told: {result(careful, sent[careful])}")
    what_was_done(admin)


if __name__ == "__main__":
    main(*sys.argv[1:])
