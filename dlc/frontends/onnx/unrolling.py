"""Says which nodes become so many ops, step by step, that a compile takes long."""

from dlc.frontends.onnx.conversion import NodeContext

SLOW_OPS = 5000
"""Ops of one node above which its user is told. A compile takes 1 ms of processor time for each (an
LSTM layer of 100 to 400 steps took 18 to 20 ms for each step, of 18 ops): so many take 5 s."""


def remark_unrolling(node: NodeContext, steps: int, ops: int) -> None:
    """Tell the user that a node is ``ops`` ops for ``steps`` steps, if these compile slowly."""
    if ops >= SLOW_OPS:
        node.remark(
            f"{node.op_type} is unrolled: {steps} steps are {ops} operations, which compile slowly;"
            " a model of fewer steps that runs several times compiles faster"
        )
