"""Pass options as text: what is read, what is refused, and that objects print as they are read."""

from dataclasses import dataclass
from typing import Literal

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import parse_spec

from dlc.core.options import Step, instantiate, option_texts, parse_steps, step_text
from dlc.core.passes import DlcPass
from dlc.errors import CompileError


@dataclass(frozen=True)
class ManyPass(DlcPass):
    """A pass with an option of every kind."""

    name = "many"
    arch: str
    sizes: tuple[int, ...] = (64, 64)
    epsilon: float = 1.0
    dry_run: bool = False
    limit: int | None = None
    search: Literal["greedy", "beam"] = "greedy"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do nothing."""


def made(text: str) -> ManyPass:
    """Return the pass that a text describes."""
    (step,) = parse_steps(text)
    return instantiate(ManyPass, step)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("many{arch=sm_90a}", ManyPass("sm_90a")),
        ("many{arch=90}", ManyPass("90")),
        ("many{arch=true}", ManyPass("true")),
        ('many{arch="a b" sizes=1,2,3}', ManyPass("a b", (1, 2, 3))),
        ("many{arch=x epsilon=1}", ManyPass("x", epsilon=1.0)),
        ("many{arch=x epsilon=1e-5}", ManyPass("x", epsilon=1e-5)),
        ("many{arch=x dry-run}", ManyPass("x", dry_run=True)),
        ("many{arch=x dry-run=false limit=3}", ManyPass("x", limit=3)),
        ("many{arch=x limit=none search=beam}", ManyPass("x", search="beam")),
        ("many{arch=a/b.c:d  sizes=8}", ManyPass("a/b.c:d", (8,))),
    ],
)
def test_reads(text: str, expected: ManyPass) -> None:
    assert made(text) == expected
    assert made(step_text(expected)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("many", r"many needs the option arch=str"),
        ("many{arch=x sizes=1,b}", r'option sizes is "1,b", expected int,\.\.\.'),
        ("many{arch=x dry-run=maybe}", r'"maybe", expected bool'),
        ("many{arch}", r"option arch is nothing, expected str"),
        ("many{arch=x limit=1.5}", r'"1.5", expected int or none'),
        ("many{arch=x search=dfs}", r'"dfs", expected greedy\|beam'),
        ("many{arch=x depth=2}", r"many has no option depth; it has: arch, dry_run"),
        ("many{arch=x arch=y}", r"option arch is given twice"),
        ("many{arch=x, sizes=1}", r"a comma after arch=x: options are separated by spaces"),
        ("many{arch=x}}", r"cannot read the pipeline"),
        ("many dce", r"cannot read the pipeline"),
        ("1x", r'cannot read the pipeline at "1x"'),
    ],
)
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        made(text)


def test_steps() -> None:
    assert parse_steps("a, b{x=1 y},c") == [Step("a"), Step("b", {"x": "1", "y": None}), Step("c")]
    assert parse_steps("builtin.module(a,b)") == [Step("a"), Step("b")]
    assert parse_steps(" ") == []


def test_xdsl_specs_are_read_the_same_way() -> None:
    assert ManyPass.from_spec(parse_spec("many{arch=90 epsilon=1 dry-run}")) == ManyPass(
        "90", epsilon=1.0, dry_run=True
    )


def test_catalogue_lines() -> None:
    assert option_texts(ManyPass) == [
        "arch=<str>",
        "sizes=<int,...> (default 64,64)",
        "epsilon=<float> (default 1.0)",
        "dry-run=<bool> (default false)",
        "limit=<int or none> (default none)",
        "search=<greedy|beam> (default greedy)",
    ]
