"""List the modules of `app` that one accepted submission executes, from its POST to its page with the result.

`python -m benchmarks.modules_of_a_submission` starts `allclose serve` on a temporary data folder. A module counts if
one of its functions runs in the web process or in the worker; importing it does not count. Background threads count
too, such as the heartbeat. The script exits with status 1 if there are more than MOST modules.
"""

import atexit
import inspect
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import FrameType

import httpx

MOST = 90
FOLDER = "EXECUTED_MODULES_FOLDER"
ROOT = Path(__file__).resolve().parents[1]
HOOK = "from benchmarks.modules_of_a_submission import note_calls; note_calls()"
PASSWORD = "correct horse battery"


def note_calls() -> None:
    """Note which files run a function, and when, until the process ends. `sitecustomize` calls it."""
    calls: set[tuple[str, float]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # neither a module nor a class
            calls.add((frame.f_code.co_filename, round(time.time(), 2)))

    atexit.register(lambda: Path(os.environ[FOLDER], f"{os.getpid()}.json").write_text(json.dumps(list(calls))))
    threading.setprofile(note)
    sys.setprofile(note)


def time_submission(folder: Path) -> tuple[float, float]:
    """Submit a right solution with a browser's requests. Return when it was sent, and when its page had come."""
    from tests.serving import RIGHT, SLUG, serve  # the watched processes need no tests

    (folder / "sitecustomize.py").write_text(HOOK)
    settings = {"PYTHONPATH": f"{folder}:{ROOT}", FOLDER: str(folder)}
    with serve(folder / "data", settings) as served, httpx.Client(base_url=served.url, timeout=300) as browser:
        browser.post("/sign-up", data={"username": "ada", "password": PASSWORD})
        browser.get(f"/problems/{SLUG}").raise_for_status()
        for _ in range(2):  # the first one warms the worker up
            begun = time.time()
            answer = browser.post(f"/problems/{SLUG}/submissions", data={"source": RIGHT, "attempt": str(begun)})
            page = answer.headers["location"]
            browser.get(page).raise_for_status()
            browser.get(f"{page}/events").raise_for_status()  # it ends with the verdict
            assert "Accepted" in browser.get(page).raise_for_status().text
            ended = time.time()
            time.sleep(5)
    return begun, ended


def list_modules(folder: Path, begun: float, ended: float) -> list[str]:
    calls = [call for file in folder.glob("*.json") for call in json.loads(file.read_text())]
    ran = {Path(file) for file, at in calls if begun <= at <= ended}
    return sorted(str(file.relative_to(ROOT)) for file in ran if file.suffix == ".py" and ROOT / "app" in file.parents)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        modules = list_modules(Path(folder), *time_submission(Path(folder)))
    print(*modules, f"{len(modules)} modules; the limit is {MOST}", sep="\n")
    sys.exit(len(modules) > MOST)


if __name__ == "__main__":
    main()
