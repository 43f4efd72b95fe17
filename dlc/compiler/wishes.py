"""What a user wishes to be checked: own inputs, outputs and tolerances, ONNX Runtime."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from dlc.compiler.ir_files import is_ir
from dlc.compiler.options import Options
from dlc.core.weights import WeightStore
from dlc.errors import CompileError
from dlc.frontends.onnx.loading import ModelSource
from dlc.verification.inputs import SPECIAL, telling_inputs
from dlc.verification.judge import Judge
from dlc.verification.outside import (
    Arrays,
    Compared,
    Run,
    check_given,
    compare_outputs,
    model_inputs,
    onnx_reference,
    onnx_runtime,
)
from dlc.verification.plan import Plan
from dlc.verification.reference import Reference
from dlc.verification.whole_model import Runnable


def check_wishes(options: Options, source: ModelSource, module: ModuleOp | None) -> None:
    """Raise CompileError for what cannot be compared, and for inputs or outputs of other models.

    module: the graph that says what to compute; ``None`` where nothing says it.
    """
    if options.verification == "onnxruntime" and is_ir(source):
        raise CompileError("verify 'onnxruntime' runs an ONNX model, this is IR", at=str(source))
    if options.verify_inputs is None:
        return
    if module is None:
        raise CompileError(
            "verify_inputs have no effect: kernels do not say what they should compute; give the "
            "model they were made of as weights_from"
        )
    check_given(module, options.verify_inputs, options.verify_outputs)


def plan_of(options: Options) -> Plan:
    """Return how much is verified."""
    given = options.verify_inputs
    inputs = [] if given is None else [("given", dict(given))]
    return Plan(options.budget_factor, inputs)


def unheeded_wishes(options: Options, artifact: Runnable | None) -> list[str]:
    """Return a line for a tolerance that is held to nothing: no artifact runs here to be compared,
    and the emulated one is held to the bound.
    """
    others = options.verify_outputs is not None or options.verification == "onnxruntime"
    if artifact or others or not options.tolerance:
        return []
    return [
        f"{options.tolerance} has no effect: this machine does not have the target; give it to "
        "dlc-run --compare where the artifact runs"
    ]


def compare_as_wished(
    source: ModelSource,
    options: Options,
    module: ModuleOp,
    weights: WeightStore,
    artifact: Runnable | None,
) -> list[Compared]:
    """Compare outputs with all that the user gives or names.

    artifact: whose outputs; where it cannot run on this machine, those of the reference interpreter
    on the imported graph. Raises CompileError.
    """
    meaning = Reference(module, weights)
    judge, reference = Judge(meaning, options.precision), meaning.outputs

    def ordinary() -> list[tuple[str, Arrays]]:
        drawn = telling_inputs(model_inputs(module), meaning)
        return [case for case in drawn if case[0] != SPECIAL]  # on NaN others may differ

    given = [] if options.verify_inputs is None else [("given", dict(options.verify_inputs))]
    others: list[tuple[str, Sequence[tuple[str, Arrays]], Run, Run | None]] = []
    constants = options.constants or {}
    if artifact and options.tolerance:  # without one the inputs are part of the plan
        others.append(("the reference", given or ordinary(), reference, None))
    if options.verify_outputs is not None:
        outputs = dict(options.verify_outputs)
        others.append(("the given outputs", given, lambda _: outputs, None))
    if options.verification == "onnxruntime":
        runtime, arbiter = onnx_runtime(source, constants), onnx_reference(source, constants)
        others.append(("ONNX Runtime", [*given, *ordinary()], runtime, arbiter))
    run = artifact.run if artifact else reference
    whose = "" if artifact else "the imported graph, not the artifact,"
    return [
        compare_outputs(what, judge, cases, run, wanted, options.tolerance, whose, arbiter)
        for what, cases, wanted, arbiter in others
    ]
