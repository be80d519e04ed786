"""SVG elements as escaped text. `class_` and `text_anchor` become `class` and `text-anchor`."""

from markupsafe import Markup, escape


def element(name: str, *children: Markup | str, **attributes: object) -> Markup:
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"' for key, value in attributes.items()
    )
    # Element names are our own; children are escaped.
    inside = "".join(map(escape, children))
    return Markup(f"<{name}{written}>{inside}</{name}>")


def drawing(width: float, height: float, label: str, *children: Markup) -> Markup:
    """Return a picture in its natural size. `label` describes it to screen readers."""
    size = {"viewBox": f"0 0 {_short(width)} {_short(height)}", "width": width, "height": height}
    return element("svg", *children, role="img", aria_label=label, class_="drawing", **size)


def _short(value: object) -> object:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value
