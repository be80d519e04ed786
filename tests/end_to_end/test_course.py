"""A first homework on a running server: from an empty course to the grades, with real judgings."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.serving import RIGHT, SLUG, WRONG, Student, serve

pytestmark = pytest.mark.whole

STUDENTS = 300
NOW = datetime.now(UTC)
HOMEWORK = {
    "title": "Homework 1",
    "problems": [{"problem": SLUG, "points": 8, "scoring": "accepted"}],
    "opens_at": (NOW - timedelta(days=2)).isoformat(),
    "due_at": (NOW - timedelta(hours=2)).isoformat(),
    "closes_at": (NOW + timedelta(days=1)).isoformat(),
    "late_steps": [{"hours": 12, "percent": 75}],
}


def test_a_teacher_grades_a_first_homework(tmp_path: Path) -> None:
    with serve(tmp_path) as served, served.admin() as teacher:
        names = ("late", "extended", "wrong")
        students = dict(zip(names, (served.sign_up(f"student-{name}") for name in names), strict=True))
        course = f"/courses/{teacher.post('/courses', json={'title': 'Term', 'timezone': 'UTC'}).json()['slug']}"
        roster = "number,username,name\n" + "".join(
            f"{at},{f'student-{names[at]}' if at < len(names) else ''},Student {at}\n" for at in range(STUDENTS)
        )
        teacher.post(f"{course}/roster", json={"csv": roster, "takes_accounts": True}).raise_for_status()
        teacher.patch(course, json={"state": "open"}).raise_for_status()
        made = teacher.post(f"{course}/assignments", json=HOMEWORK).raise_for_status().json()
        path = f"{course}/assignments/{made['slug']}"
        members = teacher.get(f"{course}/members").json()["items"]
        assert sum(each["role"] == "student" for each in members) == STUDENTS

        for name, student in students.items():
            hand_in(student, path, WRONG if name == "wrong" else RIGHT)
        extended = next(each["id"] for each in members if each["username"] == "student-extended")
        wish = {"member": extended, "due_at": (NOW + timedelta(hours=1)).isoformat()}
        teacher.put(f"{path}/extensions", json={"extensions": [wish]}).raise_for_status()
        teacher.put(f"{path}/release", json={"released": True}).raise_for_status()

        book = teacher.get(f"{course}/grades").json()["items"]
        points = {row["username"]: float(row["grades"][0]["points"]) for row in book}
        # 75 % of 8 points late, all of them with the extension, and nothing for a wrong answer
        assert points == {"student-late": 6, "student-extended": 8, "student-wrong": 0}
        own = students["late"].client.get(f"{course}/grades").json()["items"]
        assert [(row["username"], float(row["total"])) for row in own] == [("student-late", 75)]


def hand_in(student: Student, path: str, source: str) -> None:
    """Hand in, and wait for the verdict."""
    answer = student.client.post(f"{path}/problems/{SLUG}/submissions", json={"source": source})
    student.result(answer.raise_for_status().json()["id"])
