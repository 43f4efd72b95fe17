"""The levels that a module goes through on its way to kernels, and the pipelines between them."""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.compiler.targets import Target
from dlc.core.context import DlcContext
from dlc.core.instrumentation import PassManager
from dlc.core.timing import Timing
from dlc.errors import CompileError
from dlc.option_text import option


def pipelines(target: Target, precision: str, fusion: str = "") -> Iterator[tuple[str, str]]:
    """Yield the levels of a target in order, each with the pipeline that leads to it.

    fusion: options of ``fuse``, beside the chip.
    """
    arch = f"{{arch={target.name}}}"
    inner = "gpu" if target.is_gpu else "n"
    yield "graph", f"optimize-graph{{precision={precision} inner={inner} arch={target.name}}}"
    yield "fused-group", f"fuse{{arch={target.name} {fusion}}},tile{arch}"
    if target.is_gpu:
        yield "loop", "lower-to-loop,fused-group-unroll-steps"
        yield "gpu", f"lower-to-gpu{arch},fused-group-plan-memory"
    else:
        steps = f"fused-group-unroll-steps,loop-alternate-sweeps{arch}"
        yield "loop", f"lower-to-loop,{steps},fused-group-plan-memory"


def no_level(target: Target, level: str) -> CompileError:
    """Return the error for a level that only the other kind of target has."""
    other = "cpu" if target.is_gpu else "a GPU"
    return CompileError(
        f"target {target.name} has no level {level}; give {option('target')} for {other}"
    )


def lower(
    context: DlcContext,
    module: ModuleOp,
    target: Target,
    precision: str,
    last: str | None = None,
    timing: Timing | None = None,
    reached: str | None = None,
    fusion: str = "",
) -> Iterator[str]:
    """Lower ``module`` in place, level by level; yield the name of each level that it reaches.

    last: the level to stop at; without it the module goes all the way to kernels. reached: the
    level that the module is at, by default none. fusion: options of ``fuse``. Raises CompileError
    for a level or a precision that the target does not have, and for an input with a size that is
    not fixed.
    """
    if precision == "tf32" and not target.is_gpu:
        raise CompileError("tf32 is a format of NVIDIA GPUs; give precision fp32 for the CPU")
    steps = list(pipelines(target, precision, fusion))
    names = [level for level, _ in steps]
    if last is not None and last not in names:
        raise no_level(target, last)
    if reached is not None and reached not in names:
        raise no_level(target, reached)
    if reached is not None:
        steps = steps[names.index(reached) + 1 :]
    if reached == "fused-group":  # a schedule that a person has written is checked
        steps = [(reached, f"tile{{arch={target.name}}}"), *steps]
    for level, pipeline in steps:
        first = level == names[0]
        manager = PassManager(
            registry.build_passes(pipeline),
            verify_each=False,
            verified=not first,
            timing=timing or Timing(),
        )
        manager.run(context, module)
        yield level
        if level == last:
            return
