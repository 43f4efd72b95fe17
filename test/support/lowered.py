"""Modules from text through passes, for any test."""

from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.core.parser import parse_module


def lowered(text: str, pipeline: str) -> ModuleOp:
    """Return the module of ``text`` after a pipeline (``"fuse{arch=h200},tile"``), verified.

    Raises CompileError as the passes do.
    """
    context = registry.new_context()
    module = parse_module(text, context)
    for step in registry.build_passes(pipeline):
        step.apply(context, module)
    module.verify()
    return module
