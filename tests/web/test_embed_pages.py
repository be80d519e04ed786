"""Problems on other sites: embedded, in previews of links, and as a picture."""

import re
from http import HTTPStatus
from io import BytesIO

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from playwright.sync_api import Browser, expect
from sqlalchemy import update

from app.catalog.model import Problem
from app.database.engine import Database
from app.web.pages.sharing import PICTURE_HEIGHT, PICTURE_WIDTH, draw_picture
from tests.web.browser import PATIENCE_MS, visit

expect.set_options(timeout=PATIENCE_MS)

PROBLEM = "/problems/scaled_sum"
PUBLIC = "https://judge.example.org"
public = pytest.mark.parametrize("settings", [{"public_url": PUBLIC}], indirect=True)


def metas(page: str) -> dict[str, str]:
    return dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', page))


@public
def test_a_link_to_a_problem_says_what_it_is_with_a_picture(anyone: TestClient) -> None:
    said = metas(anyone.get(PROBLEM).text)
    picture = anyone.get(said["og:image"].removeprefix(PUBLIC))

    assert said["og:title"] == "Scaled sum"
    assert said["og:description"] == said["description"] == "Add up a vector and scale the sum."
    assert said["og:url"] == PUBLIC + PROBLEM
    assert said["og:image:alt"] == "Scaled sum. Beginner, 5 min."
    assert said["twitter:card"] == "summary_large_image"
    assert picture.headers["Content-Type"] == "image/png"
    assert "max-age" in picture.headers["Cache-Control"]
    assert Image.open(BytesIO(picture.content)).size == (PICTURE_WIDTH, PICTURE_HEIGHT)


@pytest.mark.parametrize(
    "title",
    [
        "",
        "x",
        "word " * 60,
        "endless" * 40,
        "λ ≤ 中文 \u202e \x00",
        "Sampling by gradients and by leapfrog steps of order",
    ],
)
def test_every_title_fits_the_picture(title: str) -> None:
    image = Image.open(BytesIO(draw_picture(title, "A track · 1/2", "Advanced · 40 min", 3))).convert("RGB")

    paper = image.getpixel((0, 0))
    margin = [image.getpixel((x, y)) for x in range(PICTURE_WIDTH - 24, PICTURE_WIDTH) for y in range(200, 500)]
    above_facts = [image.getpixel((x, y)) for x in range(PICTURE_WIDTH) for y in range(448, 462)]
    assert {*margin, *above_facts} == {paper}


@pytest.mark.whole
def test_greek_letters_of_a_title_are_drawn_and_no_missing_glyph() -> None:
    pictures = {title: draw_picture(title, "", "", 1) for title in ("\u4e2d", " ", "β", "λ", "Ω", "Δ", "A", "–")}

    assert pictures["\u4e2d"] == pictures[" "]  # no font of the pages has it
    assert len(set(pictures.values())) == len(pictures) - 1


def test_an_embedded_statement_may_stand_in_frames_and_reads_no_cookie(ada: TestClient) -> None:
    signed_in = ada.get(f"{PROBLEM}/embed")
    ada.cookies.clear()
    signed_out = ada.get(f"{PROBLEM}/embed")
    page = ada.get(PROBLEM)

    assert signed_in.text == signed_out.text
    assert "set-cookie" not in signed_in.headers
    assert "frame-ancestors *" in signed_in.headers["Content-Security-Policy"]
    assert "Return the sum of" in signed_in.text
    assert "<script" not in signed_in.text
    assert "<form" not in signed_in.text
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


@public
def test_oembed_names_the_frame_of_a_problem(anyone: TestClient) -> None:
    page = anyone.get(PROBLEM).text
    (address,) = re.findall(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)"', page)
    said = anyone.get(address.removeprefix(PUBLIC)).json()
    small = anyone.get("/oembed", params={"url": f"{PUBLIC}{PROBLEM}", "maxwidth": 400, "maxheight": 10}).json()

    assert (said["version"], said["type"], said["title"]) == ("1.0", "rich", "Scaled sum")
    assert f'src="{PUBLIC}{PROBLEM}/embed"' in said["html"]
    assert (said["width"], said["height"]) == (720, 480)
    assert (small["width"], small["height"]) == (400, 160)
    assert said["thumbnail_url"].startswith(f"{PUBLIC}{PROBLEM}/picture.png")


@public
@pytest.mark.parametrize(
    "url", ["", "https://elsewhere.example/problems/scaled_sum", f"{PUBLIC}/problems/none", f"{PUBLIC}/problems/a/b"]
)
def test_oembed_knows_nothing_but_problems(anyone: TestClient, url: str) -> None:
    assert anyone.get("/oembed", params={"url": url}).status_code == HTTPStatus.NOT_FOUND


def test_a_draft_is_shared_nowhere(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        session.execute(update(Problem).values(availability="draft"))

    page = admin.get(PROBLEM)
    shared = [admin.get(f"{PROBLEM}/{part}") for part in ("embed", "picture.png")]

    assert page.status_code == HTTPStatus.OK
    assert "og:title" not in page.text
    assert "/embed" not in page.text
    assert {answer.status_code for answer in shared} == {HTTPStatus.NOT_FOUND}


@pytest.mark.browser
def test_another_site_shows_the_statement_in_a_frame_and_only_that(browser: Browser, address: str) -> None:
    with browser.new_context() as context:
        visitor = visit(context, address)
        visitor.open(PROBLEM)
        visitor.page.get_by_role("button", name="Embed").click()
        code = visitor.page.locator("#embed-code").inner_text().replace("http://127.0.0.1:8000", address)
        assert visitor.complaints == []

        visitor.page.set_content(f"<h1>My course</h1>{code}")
        frame = visitor.page.frame_locator("iframe")
        expect(frame.get_by_role("heading", name="Scaled sum")).to_be_visible()
        leading = frame.get_by_role("link", name="Solve it on Allclose")
        expect(leading).to_have_attribute("href", f"http://127.0.0.1:8000{PROBLEM}")
        expect(leading).to_have_attribute("target", "_blank")
        assert context.cookies() == []

        visitor.page.set_viewport_size({"width": 1440, "height": 900})
        visitor.open(f"{PROBLEM}/embed")
        boxes = [visitor.page.locator(part).first.bounding_box() for part in (".signature", ".interface .table-scroll")]
        assert len({box["width"] for box in boxes if box}) == 1

        visitor.page.set_content(f'<iframe src="{address}{PROBLEM}"></iframe>')
        expect(visitor.page.frame_locator("iframe").get_by_text("Scaled sum")).to_have_count(0)
