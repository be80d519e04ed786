"""The figures of a package: SVG files in `figures/`, which its texts show with `![alt text](figures/<name>.svg)`.

Pages show a figure as an image, in which browsers run no script and load nothing. The checks here tell the author
early, and protect readers who open the file itself.
"""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from xml.parsers.expat import errors

from app.catalog.fault import Fault

FIGURE = re.compile(r"figures/[a-z0-9_-]{1,64}\.svg")
MAX_FIGURE_BYTES = 64 * 2**10
SVG = "{http://www.w3.org/2000/svg}"
HTML = "{http://www.w3.org/1999/xhtml}"
REFUSED_ELEMENTS = ("script", "foreignObject", "image", "iframe", "audio", "video", "set", "animate")
# In attributes and style sheets: `#name` refers to a part of the figure itself.
_OUTSIDE = re.compile(r"url\(\s*+['\"]?+(?!#)|image-set\(|@import|javascript:", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# Nothing but this may come before the root: another instruction could load a style sheet, which may run scripts.
_DECLARATION = re.compile(
    r"""\s*<\?xml\s+version=["']1\.0["'](\s+encoding=["']utf-8["'])?(\s+standalone=["'](yes|no)["'])?\s*\?>""",
    re.IGNORECASE,
)
_REMEDY = "draw it with SVG's own shapes, text and styles"


def is_figure(path: str) -> bool:
    return FIGURE.fullmatch(path) is not None


def figures_of(files: Mapping[str, str], text: str) -> dict[str, str]:
    """Return the figures of a package's files that the text shows, by path. The editorial's may show the solution."""
    shown = {path for path in FIGURE.findall(text) if path in files}
    return {path: files[path] for path in sorted(shown)}


def figure_fault(path: str, text: str) -> Fault | None:
    """Return what is wrong with a figure, or None."""
    if (size := len(text.encode())) > MAX_FIGURE_BYTES:
        message = f"has {size} bytes, but a figure may have {MAX_FIGURE_BYTES}"
        return Fault(path, 0, "", message, "round the coordinates, or draw less")
    bare = _COMMENT.sub("", text)
    if "<!" in bare:
        return Fault(path, 0, "", "declares a document type or entities", "remove the `<!…>` declarations")
    if "<?" in _DECLARATION.sub("", bare, count=1):
        return Fault(path, 0, "", "has an instruction such as `<?xml-stylesheet …?>`", "remove it, or write UTF-8")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        line, column = error.position
        message = f"is not XML: {errors.messages.get(error.code, 'unreadable')} at column {column + 1}"
        return Fault(path, line, "", message, "open it in a browser to see where it breaks")
    if root.tag != f"{SVG}svg":
        return Fault(
            path, 1, "", "is not an SVG file", 'begin with `<svg xmlns="http://www.w3.org/2000/svg" viewBox="…">`'
        )
    if "viewBox" not in root.attrib:
        return Fault(path, 1, "", "has no viewBox, so pages can't scale it", 'add `viewBox="0 0 640 240"` to `<svg>`')
    refused = next(_refused(root), None)
    return None if refused is None else Fault(path, 0, "", refused, _REMEDY)


def _refused(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iter():
        name = str(element.tag).rpartition("}")[2]
        if name in REFUSED_ELEMENTS or str(element.tag).startswith(HTML):
            yield f"contains <{name}>, which figures may not have"
        if name == "style" and ("\\" in (style := "".join(element.itertext())) or _OUTSIDE.search(style)):
            yield "loads something in its <style>, which figures may not"
        for attribute, value in element.attrib.items():
            key = attribute.rpartition("}")[2].lower()
            if key.startswith("on"):
                yield f"has the attribute {key}, which would run a script"
            if (key == "href" and not value.startswith("#")) or _OUTSIDE.search(value):
                yield f"refers to {value[:60]!r} in {key}; a figure may refer to its own parts only"
