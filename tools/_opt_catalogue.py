"""The text of ``dlc-opt --list-passes``."""

from collections.abc import Iterator

from dlc import registry
from dlc.core.options import option_texts
from dlc.pipelines import PIPELINES


def catalogue() -> str:
    """Return one line per pass and per pipeline, with the options or the passes below it."""
    return "".join(f"{line}\n" for line in (*_pass_lines(), "", *_pipeline_lines()))


def _pass_lines() -> Iterator[str]:
    for name in registry.pass_names():
        kind = registry.load_pass(name)
        yield f"--{name}: {registry.XDSL_PASSES.get(name) or summary(kind)}"
        yield from (f"    {option}" for option in option_texts(kind))


def _pipeline_lines() -> Iterator[str]:
    for name, pipeline in PIPELINES.items():
        yield f"--{name}: {pipeline.summary}"
        yield from (f"    {step}" for step in pipeline.steps)


def summary(kind: type) -> str:
    """Return the first sentence of a docstring, on one line."""
    paragraph = (kind.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(paragraph.split())
