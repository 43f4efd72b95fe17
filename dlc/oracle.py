"""Runs ``graph`` and ``fused_group`` modules in numpy through each op's ``reference``."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from dlc.analysis.entry import find_main, input_names, output_names, returned
from dlc.analysis.evaluation import constant_value, evaluate, round_to
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array, BodyOp, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, element_type, numpy_dtype, shape, shape_text

Observe = Callable[[Operation, Sequence[Array]], None]
"""Sees each op of ``graph`` and its results, before they are rounded."""
Store = Callable[[Operation, Sequence[Array]], Sequence[Array]]
"""Gives what other ops read of the results of an op, of a group too."""


class Noise(Protocol):
    """Moves the values that the ops of ``graph`` compute with."""

    def operands(self, op: GraphOp, operands: Sequence[Array]) -> Sequence[Array]:
        """Return what ``op`` computes with in place of ``operands``."""
        ...

    def results(self, op: GraphOp, results: Sequence[Array]) -> Sequence[Array]:
        """Return what ``op`` gives in place of ``results``."""
        ...


def run_reference(
    module: ModuleOp,
    feeds: Mapping[str, Array],
    weights: WeightStore,
    float_type: DTypeLike = np.float64,
    store: Store | None = None,
    observe: Observe | None = None,
    noise: Noise | None = None,
) -> dict[str, Array]:
    """Return the results of ``main`` by name, in the dtypes of the result types.

    feeds: the inputs by name, in the dtypes and shapes of the argument types.
    float_type: the type in which all floats are computed.
    store: what becomes of results, such as ``round_results``; otherwise only those of ``main`` are
    rounded.

    Raises CompileError when the feeds do not fit.
    """
    main = find_main(module)
    block = main.body.block
    arguments = _arguments(main, feeds)
    interpreter = _Interpreter(weights, float_type, store, observe, noise)
    results = interpreter.run(block, arguments)
    values = returned(block)
    names = output_names(main)
    return {
        name: round_to(array, value.type)
        for name, array, value in zip(names, results, values, strict=True)
    }


def round_results(op: Operation, results: Sequence[Array]) -> Sequence[Array]:
    """Round the floats of every op to its result type, as code that keeps every value in memory."""
    return [round_to(x, r.type) for x, r in zip(results, op.results, strict=True)]


def check_feeds(module: ModuleOp, feeds: Mapping[str, Array]) -> None:
    """Raise CompileError, naming the input, when ``feeds`` are not the arguments of ``main``."""
    _arguments(find_main(module), feeds)


def run_block(
    block: Block,
    arguments: list[Array],
    weights: WeightStore,
    float_type: DTypeLike = np.float64,
    noise: Noise | None = None,
) -> list[Array]:
    """Return what the ops of a block (the body of a group) make of ``arguments``, as stored."""
    results = _Interpreter(weights, float_type, noise=noise).run(block, arguments)
    values = returned(block)
    return [round_to(array, value.type) for array, value in zip(results, values, strict=True)]


def _arguments(main: FuncOp, feeds: Mapping[str, Array]) -> list[Array]:
    block = main.body.block
    names = input_names(main)
    unknown = sorted(feeds.keys() - set(names))
    if unknown:
        raise CompileError(f"there is no input {unknown[0]}; the inputs are {', '.join(names)}")
    return [_feed(n, x, feeds) for n, x in zip(names, block.args, strict=True)]


def _feed(name: str, argument: SSAValue, feeds: Mapping[str, Array]) -> Array:
    if name not in feeds:
        raise CompileError("it is not given", f"input {name}")
    array = np.asarray(feeds[name])
    dtype = numpy_dtype(element_type(argument))
    if array.dtype != dtype:
        raise CompileError(f"the dtype is {array.dtype}, should be {dtype}", f"input {name}")
    sizes = shape(argument)
    fits = len(sizes) == array.ndim and all(
        expected in (given, DYNAMIC) for given, expected in zip(array.shape, sizes, strict=True)
    )
    if not fits:
        given = shape_text(array.shape)
        raise CompileError(f"the shape is {given}, should be {shape_text(sizes)}", f"input {name}")
    return array


class _Interpreter:
    def __init__(
        self,
        weights: WeightStore,
        float_type: DTypeLike,
        store: Store | None = None,
        observe: Observe | None = None,
        noise: Noise | None = None,
    ):
        self.weights = weights
        self.noise = noise
        self.observe = observe
        self.float_type = float_type
        self.store = store

    def run(self, block: Block, arguments: list[Array]) -> list[Array]:
        """Run the ops of a block in order and return the operands of its terminator."""
        values: dict[SSAValue, Array] = dict(zip(block.args, arguments, strict=True))
        last_use = {x: op for op in block.ops for x in op.operands}
        for op in block.ops:
            operands = [values[x] for x in op.operands]
            if op.has_trait(IsTerminator):
                return operands
            results = self._run_op(op, operands)
            if self.store is not None:
                results = self.store(op, results)
            for value, array in zip(op.results, results, strict=True):
                values[value] = array
            for value in op.operands:
                if last_use[value] is op:
                    values.pop(value, None)
        return []

    def _run_op(self, op: Operation, operands: list[Array]) -> Sequence[Array]:
        if not isinstance(op, GraphOp):
            return self._run_region(op, operands)
        known = constant_value(op.results[0], self.weights)
        results = [known] if known is not None else self._evaluate(op, operands)
        if self.observe is not None:
            self.observe(op, results)
        return list(results)

    def _evaluate(self, op: GraphOp, operands: Sequence[Array]) -> Sequence[Array]:
        if isinstance(op, BodyOp):
            return op.run(operands, partial(self.run, op.regions[0].block))
        if self.noise is None:
            return evaluate(op, operands, self.float_type)
        moved = self.noise.operands(op, operands)
        return self.noise.results(op, evaluate(op, moved, self.float_type))

    def _run_region(self, op: Operation, operands: list[Array]) -> list[Array]:
        """Run an op that only encloses others (a group)."""
        if len(op.regions) != 1:
            raise CompileError(f"{op.name} has no meaning at the graph level")
        return self.run(op.regions[0].block, operands)
