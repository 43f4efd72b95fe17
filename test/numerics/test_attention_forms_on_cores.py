"""Each form of attention that is one kernel on a CPU gives there what its ops give."""

from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest
from compiled_c import CompiledKernels
from lowered import lowered
from test_attention_forms import FORMS, drawn
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.loop import KernelOp
from dlc.oracle import run_reference


@cache
def modules() -> Mapping[str, ModuleOp]:
    """Return the forms that one kernel computes, lowered."""
    found = {
        name: lowered(text, "fuse{arch=cpu-avx512},lower-to-loop") for name, text in FORMS.items()
    }
    return {name: module for name, module in found.items() if len(_kernels(module)) == 1}


def _kernels(module: ModuleOp) -> list[KernelOp]:
    return [op for op in module.ops if isinstance(op, KernelOp)]


def _inputs(module: ModuleOp) -> list[int]:
    """Return the arguments of the model that the launch reads, by their numbers."""
    (launch,) = (op for op in module.walk() if isinstance(op, LaunchOp))
    numbers: list[int] = []
    for value in launch.operands:
        while not isinstance(value, BlockArgument):
            assert isinstance(value.owner, Operation)
            value = value.owner.operands[0]  # a view
        numbers.append(value.index)
    return numbers


@cache
def compiled() -> CompiledKernels:
    kernels: list[KernelOp] = []
    for number, module in enumerate(modules().values()):
        (kernel,) = _kernels(module)
        kernel.properties["sym_name"] = type(kernel.sym_name)(f"form{number}")
        kernels.append(kernel)
    return CompiledKernels(kernels)


@pytest.mark.parametrize("form", [name for name in FORMS if "close" not in name])
def test_the_kernel_gives_the_same(form: str) -> None:
    if form not in modules():
        pytest.skip("several kernels")
    context = registry.new_context()
    module = parse_module(FORMS[form], context)
    generator = np.random.default_rng(11)
    arguments = find_main(module).body.block.args
    feeds = {f"input{i}": drawn(generator, x) for i, x in enumerate(arguments)}
    (wanted,) = run_reference(module, feeds, context.weights).values()
    given = [list(feeds.values())[number] for number in _inputs(modules()[form])]
    (found,) = compiled().run(f"form{list(modules()).index(form)}", given)
    # Scores and weights stay in single precision: what is off beside the rounding of the result is
    # far below a unit in the last place of the largest one.
    unit = np.finfo(wanted.dtype).eps
    found = found.reshape(wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=unit, atol=unit * np.abs(wanted).max())


def test_forms_are_kernels() -> None:
    assert len(modules()) >= 12
