"""Each form of attention gives on a CPU what its groups give, in one kernel or in several."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pytest
from attention_models import Array
from compiled_c import CompiledKernels
from lowered import lowered
from test_attention_forms import FORMS, drawn
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp, LaunchOp
from dlc.dialects.loop import KernelOp
from dlc.ir.tensor import shape
from dlc.oracle import round_results, run_reference
from dlc.passes.fuse import FusePass

SEVERAL = {
    "attention-of-past-and-turned-keys-past": 2,  # past and new keys are a result, too
    "attention-of-past-and-turned-keys-rotary": 2,  # turned keys are read by each row of queries
    "attention-of-capped-scores-capped_weights": 3,
    "attention-of-wide-softmax-not_rounded": 3,
    "attention-of-windows-window_of_weights": 3,
    "attention-that-is-close-head_mask": 3,
    "attention-that-is-close-turned": 3,
    "attention-that-is-close-centred": 3,
    "attention-that-is-close-other_axis": 5,
}
"""Forms that one kernel does not compute, and the kernels that do."""

LONGEST = 256
"""Keys of a sum in single precision: each addition is off by half a unit of at most 1, as weights
of a row add up to 1, and values are at most 1.
"""


@cache
def modules() -> Mapping[str, ModuleOp]:
    """Return the forms, lowered, with a name of its own for each kernel."""
    found = {
        name: lowered(text, "fuse{arch=cpu-avx512},lower-to-loop") for name, text in FORMS.items()
    }
    for number, module in enumerate(found.values()):
        for op in module.walk():
            if isinstance(op, KernelOp):
                op.sym_name = StringAttr(f"{op.sym_name.data}_{number}")
            elif isinstance(op, LaunchOp):
                op.kernel = SymbolRefAttr(f"{op.kernel_name}_{number}")
    return found


def _kernels(module: ModuleOp) -> list[KernelOp]:
    return [op for op in module.ops if isinstance(op, KernelOp)]


@cache
def compiled() -> CompiledKernels:
    return CompiledKernels([kernel for each in modules().values() for kernel in _kernels(each)])


def run(module: ModuleOp, feeds: Sequence[Array]) -> list[Array]:
    """Return what the launches of a module give, one after the other."""
    block = find_main(module).body.block
    values: dict[SSAValue, Array] = dict(zip(block.args, feeds, strict=True))
    for op in block.ops:
        given = [values[x] for x in op.operands]
        if isinstance(op, ReturnOp):
            return given
        is_launch = isinstance(op, LaunchOp)  # else a view
        found = compiled().run(op.kernel_name, given) if is_launch else given
        pairs = zip(op.results, found, strict=True)
        values.update((result, array.reshape(shape(result))) for result, array in pairs)
    raise AssertionError("nothing is returned")


def rounded(op: Operation, results: Sequence[Array]) -> Sequence[Array]:
    """Round what groups give, as kernels store it."""
    return round_results(op, results) if isinstance(op, GroupOp) else results


@pytest.mark.parametrize("form", FORMS)
def test_kernels_give_the_same(form: str) -> None:
    context = registry.new_context()
    module = parse_module(FORMS[form], context)
    generator = np.random.default_rng(11)
    arguments = find_main(module).body.block.args
    feeds = {f"input{i}": drawn(generator, x) for i, x in enumerate(arguments)}
    FusePass(arch="cpu-avx512").apply(context, module)
    wanted = run_reference(module, feeds, context.weights, store=rounded)
    found = run(modules()[form], list(feeds.values()))
    for array, other in zip(wanted.values(), found, strict=True):
        unit = np.finfo(array.dtype).eps
        off = unit * np.abs(array).max() + LONGEST * np.finfo(np.float32).eps / 2
        np.testing.assert_allclose(other, array, rtol=unit, atol=off)


def test_forms_are_kernels() -> None:
    counts = {name: len(_kernels(module)) for name, module in modules().items()}
    assert counts == {name: SEVERAL.get(name, 1) for name in FORMS}
