"""A page of a report as the tree of its elements."""

from xml.etree.ElementTree import Element, fromstring


def parsed(page: str) -> Element:
    """Return the root of a page. Raises ParseError where the page is not XML, too."""
    kind, _, root = page.partition("\n")
    assert kind == "<!DOCTYPE html>"
    return fromstring(root)


def of_class(root: Element, *names: str) -> list[Element]:
    """Return the elements that have all these classes, in order."""
    return [each for each in root.iter() if {*names} <= {*each.get("class", "").split()}]


def part(root: Element, heading: str) -> list[Element]:
    """Return the elements from the first heading of a text to the next heading."""
    body = root.find("body")
    assert body is not None
    children = [*body]
    first = next(n for n, x in enumerate(children) if x.tag == "h2" and x.text == heading)
    rest = children[first + 1 :]
    last = next((n for n, x in enumerate(rest) if x.tag in ("h1", "h2")), len(rest))
    return rest[:last]


def number(element: Element, attribute: str) -> float:
    """Return a number that an element has."""
    return float(element.attrib[attribute])
