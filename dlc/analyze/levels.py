"""The forms of a model that an analysis looks at."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dlc import registry
from dlc.compiler.levels import lower, pipelines
from dlc.compiler.options import Options
from dlc.compiler.targets import Target
from dlc.core.context import DlcContext
from dlc.core.instrumentation import PassManager
from dlc.core.passes import DlcPass


def as_written(module: ModuleOp, precision: str, context: DlcContext) -> ModuleOp:
    """Return the ops of each node as the file has them, in the precision that they will have."""
    steps = f"graph-check-sizes,graph-decompose,graph-set-precision{{precision={precision}}}"
    return _after(registry.build_passes(steps), module, context)


def as_trained(module: ModuleOp, precision: str, context: DlcContext) -> ModuleOp:
    """Return these ops of a step of training, without conversions to the type that a tensor has."""
    steps = registry.build_passes("graph-canonicalize")
    return _after(steps, as_written(module, precision, context), context)


def by_layer(
    module: ModuleOp,
    target: Target,
    precision: str,
    context: DlcContext,
    *,
    chooses_layout: bool = True,
) -> ModuleOp:
    """Return the model as it is before it is divided into kernels, but that each node keeps its
    own ops: layouts are chosen, weights are packed, no layer has become part of another.

    chooses_layout: else images have the axes in the order of the file.
    """
    _, steps = next(pipelines(target, precision))
    passes = [
        each
        for each in registry.build_passes(steps)
        if not (isinstance(each, DlcPass) and each.joins_nodes)
        and not (isinstance(each, DlcPass) and each.moves_axes and not chooses_layout)
    ]
    return _after(passes, module, context)


def fused(module: ModuleOp, target: Target, options: Options, context: DlcContext) -> ModuleOp:
    """Return the groups that a compile makes of the model."""
    copy = module.clone()
    last = "fused-group"
    for _ in lower(context, copy, target, options.precision, last, fusion=options.fusion):
        pass
    return copy


def _after(passes: list[ModulePass], module: ModuleOp, context: DlcContext) -> ModuleOp:
    copy = module.clone()
    PassManager(passes, verify_each=False).run(context, copy)
    return copy
