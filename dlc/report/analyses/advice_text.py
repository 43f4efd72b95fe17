"""What to do about a model's time, as text."""

from collections.abc import Iterator, Mapping
from typing import Any

from dlc.report.values import microseconds


def gain_text(us: float) -> str:
    """Return a gain; a dash of a remark, which promises none."""
    return microseconds(us) if us else "-"


def advice_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines about the advice that a report has, nothing where it has none."""
    if not (advice := report.get("advice")):
        return
    yield ""
    yield "What to do about it"
    gains = [gain_text(each["gain_us"]) for each in advice]
    width = max(map(len, gains))
    for gain, each in zip(gains, advice, strict=True):
        yield f"{gain.rjust(width)}  {each['question']}: {each['title']}"
        said = [each["text"], *filter(None, [each["command"]])]
        yield from (f"{' ' * width}  {line}" for line in said)
