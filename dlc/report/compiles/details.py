"""What a page says of one group: operations, candidates, borders, resources."""

from collections.abc import Iterator, Sequence

from dlc.report.charts.folded import folded
from dlc.report.charts.markup import element, text
from dlc.report.values import Kernel, changed, microseconds, value


def details(name: str, kernels: Sequence[Kernel], variant: str) -> str:
    """Return what is said of a group, folded. kernels: those that compute it. variant: begins the
    anchor.
    """
    first = kernels[0]
    used = ((f"kernel {k['name']}", value(k["resources"])) for k in kernels if k["resources"])
    return folded(
        f"{name}: {' + '.join(first['operations'])}",
        f"{variant}-{name}",
        [*_facts(first), *used],
        element("table", *_candidates(first), class_="candidates"),
    )


def _facts(kernel: Kernel) -> Iterator[tuple[str, str]]:
    launches = kernel["launches"]
    yield "nodes", ", ".join(kernel["nodes"])
    yield "launches", str(launches) if launches != 1 else ""
    yield "schedule", value(kernel["schedule"])
    yield "bound", value(kernel["bound"])
    yield "share of the hardware's limit", _share(kernel)
    yield "ends here, since", "; ".join(kernel["boundaries"])


def _share(kernel: Kernel) -> str:
    """Return how near the time, measured if it was, is to what the bound allows."""
    bound, measured = kernel["bound"], kernel["measured"]
    us = measured.get("time_us") or bound.get("estimate_us")
    if not us or not bound.get("time_us"):
        return ""
    how = "measured" if measured else "by the estimate"
    return f"{100 * bound['time_us'] / us:.0f} % {how}"


def _candidates(kernel: Kernel) -> Iterator[str]:
    """Yield the rows of what was chosen and of the runners-up."""
    heads = ("candidate", "bound", "estimate", "measured")
    yield element("tr", *(element("th", text(head)) for head in heads))
    bound, measured = kernel["bound"], kernel["measured"]
    times = bound.get("time_us"), bound.get("estimate_us"), measured.get("time_us")
    yield _candidate("chosen", times)
    for other in kernel["runners_up"]:
        times = other["bound_us"], other["estimate_us"], None
        yield _candidate(value(changed(other, kernel)), times)


def _candidate(name: str, times: Sequence[float | None]) -> str:
    said = [name, *("" if us is None else microseconds(us) for us in times)]
    return element("tr", *(element("td", text(each)) for each in said))
