"""Elements of HTML and SVG, whose texts and attributes are escaped."""

from html import escape

from dlc.errors import printable


def text(content: object) -> str:
    """Return a text as markup."""
    return escape(printable(str(content)))


def element(name: str, *children: str, **attributes: object) -> str:
    """Return an element. children: markup. attributes: ``class_`` is ``class``, other underscores
    are hyphens; numbers are rounded to a hundredth.
    """
    given = "".join(f' {_name(k)}="{text(_number(v))}"' for k, v in attributes.items())
    return f"<{name}{given}>{''.join(children)}</{name}>"


def _name(attribute: str) -> str:
    return attribute.rstrip("_").replace("_", "-")


def _number(data: object) -> object:
    return f"{data:.2f}".rstrip("0").rstrip(".") if isinstance(data, float) else data


def chart(width: float, height: float, *children: str) -> str:
    """Return an SVG of a size in pixels."""
    box = f"0 0 {width:.0f} {height:.0f}"
    return element("svg", *children, width=width, height=height, viewBox=box)


def label(x: float, y: float, content: object, **attributes: object) -> str:
    """Return a text at a place of a chart."""
    return element("text", text(content), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: object) -> str:
    """Return a line of a chart."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def box(x: float, y: float, width: float, height: float, tip: str, **attributes: object) -> str:
    """Return a rectangle of a chart. tip: what is shown where a pointer rests on it."""
    return element(
        "rect",
        element("title", text(tip)),
        x=x,
        y=y,
        width=max(width, 0.5),
        height=max(height, 0.5),
        **attributes,
    )


def document(title: str, style: str, *parts: str) -> str:
    """Return a page that needs nothing else: HTML that is XML, too. parts: of its body."""
    head = element(
        "head",
        '<meta charset="utf-8"/>',
        element("title", text(title)),
        element("style", style),
    )
    body = element("body", element("h1", text(title)), *parts)
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def section(name: str, said: str, drawn: str) -> str:
    """Return a part of a page: what it shows, said in sentences if need be, and drawn; empty where
    nothing is drawn.
    """
    about = element("p", text(said)) if said else ""
    return element("h2", text(name)) + about + drawn if drawn else ""
