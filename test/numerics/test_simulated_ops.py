"""The kernel of each op on a GPU, run by the simulator with its checks of memory, computes what the
op's reference says.
"""

import pytest
from samples import Sample, check_close
from test_group_of_one import SAMPLES, module_of

from dlc import registry
from dlc.analysis.evaluation import evaluate, round_to
from dlc.simulator import run_module

PIPELINE = "fuse{arch=h200},tile{arch=h200},lower-to-loop,lower-to-gpu{arch=h200}"
SEED = 1
"""Blocks run in a random order."""


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_kernel_of_op(this: Sample) -> None:
    module = module_of(this)
    for step in registry.build_passes(PIPELINE):
        step.apply(registry.new_context(), module)
    found = run_module(module, this.operands, block_order=SEED)
    expected = evaluate(this.op, this.operands)
    for number, result in enumerate(this.op.results):
        right = round_to(expected[number], result.type)
        check_close(found[number], right, this.op, f"result {number}")
