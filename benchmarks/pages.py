"""What a reader of pages waits for: the first paint, and how many bytes of script come with it."""

from playwright.sync_api import Browser, Response

from benchmarks.report import report
from tests.serving import Served
from tests.web.browser import chromium, visit

SLUG = "microbatched_grads"
OPENINGS = 10
PAGES = ("/", "/problems", f"/problems/{SLUG}")
PAINTED = """() => new Promise(resolve => new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (entry.name === "first-contentful-paint") resolve(entry.startTime);
}).observe({type: "paint", buffered: true}))"""


def measure_pages(served: Served) -> None:
    """Each opening is in a fresh profile: nothing is in the browser's cache."""
    with chromium() as browser:
        for path in PAGES:
            openings = [_open(browser, served.url, path) for _ in range(OPENINGS)]
            report(f"{path}: first contentful paint, nothing cached, of {OPENINGS}", [paint for paint, _ in openings])
            print(
                f"  {'its scripts, compressed, all that the page loads':70} {openings[0][1] / 1000:.1f} kB", flush=True
            )


def _open(browser: Browser, address: str, path: str) -> tuple[float, int]:
    """Seconds until the first paint, and bytes of script."""
    with browser.new_context() as context:
        scripts: list[Response] = []
        visitor = visit(context, address)
        visitor.page.on(
            "response", lambda answer: scripts.append(answer) if answer.url.partition("?")[0].endswith(".js") else None
        )
        visitor.page.goto(address + path, wait_until="networkidle")
        painted = visitor.page.evaluate(PAINTED)
        return painted / 1000, sum(answer.request.sizes()["responseBodySize"] for answer in scripts)
