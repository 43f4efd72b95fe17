"""Runs one kernel of a module through the simulator, as ``launch`` does on the GPU."""

from typing import Protocol

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph.structure import Array
from dlc.ir.space import buffer_type
from dlc.ir.tensor import numpy_dtype
from dlc.simulator import Coverage, simulate

SEED = 7
"""Blocks run in a random order."""


class Runner(Protocol):
    """What runs the only kernel of a module that is lowered for the chip ``target``."""

    target: str

    def run(self, module: ModuleOp, *inputs: Array) -> list[Array]:
        """Return the outputs of the kernel."""
        ...


class Simulated(Runner):
    """The simulator, with all its checks."""

    target = "sm_90a"

    def run(self, module: ModuleOp, *inputs: Array) -> list[Array]:
        (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
        types = [buffer_type(argument) for argument in kernel.output_buffers]
        outputs = [np.zeros(t.get_shape(), numpy_dtype(t.element_type)) for t in types]
        simulate(module, kernel.sym_name.data, [*inputs, *outputs], block_order=SEED)
        assert Coverage(kernel).check_all()  # what the whole launch has written, without its data
        return outputs
