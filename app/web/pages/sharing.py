"""Problems on other sites: the statement as an embedded page, oEmbed, and the picture that a shared link shows.

All three are the same for every visitor. They read no cookie and show nothing of a user.
"""

import math
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from PIL import Image, ImageDraw, ImageFont

from app.api.request_state import get_database, get_settings
from app.api.response_headers import POLICY
from app.catalog.manifest import is_slug
from app.catalog.query import ProblemDetail, get_problem
from app.catalog.track import read_surroundings
from app.errors import Invalid, NotFound, ProblemNotFound
from app.web.address import Slug
from app.web.render import render_page

router = APIRouter()
WIDTH, HEIGHT = 720, 480  # of the embedded page, in CSS pixels
LEAST_WIDTH, LEAST_HEIGHT = 240, 160
# Only this page may stand in another site's frame.
FRAMED = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
SHARED = {"Cross-Origin-Resource-Policy": "cross-origin", "Cache-Control": "public, max-age=600"}
PICTURE_WIDTH, PICTURE_HEIGHT = 1200, 630
# Drawn so much larger and made smaller, since Pillow draws lines without smoothing.
SCALE = 2
INK, MUTED, ACCENT, BAND, PAPER = "#1a1e29", "#566074", "#2b49c9", "#dfe5fa", "#ffffff"
TEXT_WIDTH, TEXT_HEIGHT, MOST_LINES, SIZES = 1040, 240, 3, (76, 64, 54, 44)
LINE_HEIGHT = 1.18
REGULAR, BOLD = 400, 650
FONT = Path(__file__).parents[1] / "static" / "fonts" / "text.woff2"
DIFFICULTIES = ("beginner", "intermediate", "advanced")


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Absolute addresses about a problem. `words` describes its picture."""

    page: str
    picture: str
    oembed: str
    words: str
    code: str


def link(request: Request, problem: ProblemDetail) -> Links:
    """Return the links, which begin with the setting `public_url` and never with a header of the request."""
    page = f"{get_settings(request).base_url}/problems/{problem.slug}"
    return Links(
        page=page,
        picture=f"{page}/picture.png?v={problem.digest[:12]}",
        oembed=f"{get_settings(request).base_url}/oembed?url={quote(page, safe='')}",
        words=f"{problem.title}. {_words(problem.difficulty)}, {problem.estimated_minutes} min.",
        code=_frame(page, problem.title, WIDTH, HEIGHT),
    )


@router.get("/problems/{slug}/embed")
def show_embedded(request: Request, slug: Slug) -> Response:
    with get_database(request).transaction() as session:
        problem = get_problem(session, slug)
    context = {"problem": problem, "links": link(request, problem)}
    return render_page("embed.html", context, headers={**SHARED, "Content-Security-Policy": FRAMED})


@router.get("/problems/{slug}/picture.png")
def send_picture(request: Request, slug: Slug) -> Response:
    with get_database(request).transaction() as session:
        problem = get_problem(session, slug)
        place = read_surroundings(session, slug).place
    track = f"{place.title} · {place.number}/{place.count}" if place else ""
    facts = f"{_words(problem.difficulty)}  ·  {problem.estimated_minutes} min"
    level = DIFFICULTIES.index(problem.difficulty) + 1
    return Response(draw_picture(problem.title, track, facts, level), media_type="image/png", headers=SHARED)


@router.get("/oembed")
def describe_embedded(
    request: Request,
    url: str = "",
    maxwidth: Annotated[int, Query(ge=1)] = WIDTH,
    maxheight: Annotated[int, Query(ge=1)] = HEIGHT,
    format: str = "json",
) -> Response:
    """Answer as https://oembed.com says. Raises NotFound for an address that is no problem's."""
    if format != "json":
        raise Invalid("format", "Allclose answers oEmbed requests as JSON only. Leave out format.")
    root = get_settings(request).base_url
    slug = url.removeprefix(f"{root}/problems/").rstrip("/") if url.startswith(f"{root}/problems/") else ""
    if not slug:
        raise NotFound(f"url must be the address of a problem, such as {root}/problems/NAME")
    if not is_slug(slug):
        raise ProblemNotFound(slug)
    with get_database(request).transaction() as session:
        problem = get_problem(session, slug)
    links = link(request, problem)
    width, height = max(LEAST_WIDTH, min(WIDTH, maxwidth)), max(LEAST_HEIGHT, min(HEIGHT, maxheight))
    answer: dict[str, Any] = {
        "version": "1.0",
        "type": "rich",
        "title": problem.title,
        "provider_name": "Allclose",
        "provider_url": root,
        "cache_age": 3600,
        "html": _frame(links.page, problem.title, width, height),
        "width": width,
        "height": height,
        "thumbnail_url": links.picture,
        "thumbnail_width": PICTURE_WIDTH,
        "thumbnail_height": PICTURE_HEIGHT,
    }
    return JSONResponse(answer, headers={**SHARED, "Access-Control-Allow-Origin": "*"})


def _frame(page: str, title: str, width: int, height: int) -> str:
    return (
        f'<iframe src="{escape(page)}/embed" title="{escape(title)}" width="{width}" height="{height}" '
        'loading="lazy" referrerpolicy="no-referrer" frameborder="0"></iframe>'
    )


def _words(difficulty: str) -> str:
    return {"beginner": "Beginner", "intermediate": "Intermediate", "advanced": "Advanced"}[difficulty]


@lru_cache(maxsize=256)  # a picture takes 170 ms to draw
def draw_picture(title: str, track: str, facts: str, level: int) -> bytes:
    """Draw a PNG of PICTURE_WIDTH × PICTURE_HEIGHT pixels. `level` is the number of filled bars, 1 to 3."""
    image = Image.new("RGB", (PICTURE_WIDTH * SCALE, PICTURE_HEIGHT * SCALE), PAPER)
    draw = ImageDraw.Draw(image)
    _draw_curves(draw)
    _draw_brand(draw)
    _text(draw, (80, 168), track, 34, MUTED)
    size, lines = _fit(title)
    for place, line in enumerate(lines):
        _text(draw, (78, 214 + place * size * LINE_HEIGHT), line, size, INK, weight=BOLD)
    for bar in range(3):
        left, top = 80 + bar * 16, 486 - bar * 9
        _box(draw, (left, top, left + 10, 504), ACCENT if bar < level else BAND)
    _text(draw, (146, 464), facts, 36, INK)
    small = image.resize((PICTURE_WIDTH, PICTURE_HEIGHT), Image.Resampling.LANCZOS)
    file = BytesIO()
    small.quantize(128, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_curves(draw: ImageDraw.ImageDraw) -> None:
    """Draw an answer that stays within a band of tolerance, along the lower edge."""
    xs = range(0, PICTURE_WIDTH + 8, 8)
    wanted = [574 + 22 * math.sin(x / 95) for x in xs]
    band = [(x * SCALE, (y - 18) * SCALE) for x, y in zip(xs, wanted, strict=True)]
    band += [(x * SCALE, (y + 18) * SCALE) for x, y in reversed(list(zip(xs, wanted, strict=True)))]
    draw.polygon(band, fill=BAND)
    answer = [(x * SCALE, (y + 9 * math.sin(x / 31)) * SCALE) for x, y in zip(xs, wanted, strict=True)]
    draw.line(answer, fill=ACCENT, width=5 * SCALE, joint="curve")


def _draw_brand(draw: ImageDraw.ImageDraw) -> None:
    for top in (88, 108):
        wave = [((80 + x) * SCALE, (top - 7 * math.sin(x / 48 * 2 * math.pi)) * SCALE) for x in range(0, 50, 2)]
        draw.line(wave, fill=ACCENT, width=6 * SCALE, joint="curve")
    _text(draw, (148, 74), "Allclose", 40, INK, weight=BOLD)


def _box(draw: ImageDraw.ImageDraw, box: tuple[float, float, float, float], colour: str) -> None:
    draw.rectangle([each * SCALE for each in box], fill=colour)


def _text(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: int, colour: str, *, weight: int = REGULAR
) -> None:
    place = (at[0] * SCALE, at[1] * SCALE)
    shown = "".join(map(_drawable, text))
    draw.text(place, shown, fill=colour, font=_font(size * SCALE, weight))


def _fit(title: str) -> tuple[int, list[str]]:
    """Return the largest size at which the title fits, and its lines. The smallest size cuts it."""
    text = "".join(map(_drawable, title))
    for size in SIZES:
        lines = list(_wrap(text, size))
        is_low = len(lines) <= MOST_LINES and len(lines) * size * LINE_HEIGHT <= TEXT_HEIGHT
        if is_low and all(_width(line, size) <= TEXT_WIDTH for line in lines):
            return size, lines
    short = lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        short[-1] += "..."
    return size, [_cut(line, size) for line in short]


def _wrap(text: str, size: int) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and _width(f"{line} {word}", size) > TEXT_WIDTH:
            yield line
            line = ""
        line = f"{line} {word}".lstrip()
    yield line


def _cut(line: str, size: int) -> str:
    while _width(line, size) > TEXT_WIDTH:
        line = line.removesuffix("...")[:-1] + "..."
    return line


def _width(text: str, size: int) -> float:
    """Return the width of a title's text."""
    return _font(size, BOLD).getlength(text)


def _font(size: int, weight: int) -> ImageFont.FreeTypeFont:
    """Return the pages' font, which has Latin, Greek and some signs. Pillow's wheels have FreeType with Brotli."""
    font = ImageFont.truetype(FONT, size)
    font.set_variation_by_axes([weight])
    return font


def _drawable(letter: str) -> str:
    """Return the letter, or a similar one that the font has, or a space."""
    if letter.isascii() or _has(letter):
        return letter if letter.isprintable() else " "
    if unicodedata.category(letter) == "Pd":
        return "-"
    return unicodedata.normalize("NFKD", letter)[:1].encode("ascii", "ignore").decode() or " "


def _has(letter: str) -> bool:
    missing, drawn = (bytes(_font(24, REGULAR).getmask(each)) for each in ("\uffff", letter))
    return drawn != missing
