"""Which layers one call of a library computes together, and what libraries take."""

import pytest
from layer_models import analysis

from dlc import arch, registry
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.entry import find_main
from dlc.analyze.joined import joined
from dlc.analyze.kernels import Kernels
from dlc.analyze.ways import Ways, total
from dlc.core.parser import parse_module
from dlc.plan import Planner
from dlc.report.analyses.bounds import ADVISED, BOUNDS, JOINED, LIBRARIES

WEIGHTS = {"w": (64, 64, 3, 3), "k": (64, 64, 3, 3), "b": (64,)}
PADS = "<pads = [1, 1, 1, 1]>"


def bounds_of(body: str) -> dict[str, float]:
    head = "m (float[8, 64, 28, 28] x) => (float[8, 64, 28, 28] y)"
    report = analysis(f"{head} {{ {body} }}", WEIGHTS, libraries=("cudnn", "cublaslt"))
    return report["bounds"]


def gain_us(body: str) -> float:
    """Return what joining gains; a model that begins and ends with a conversion of its tensors has
    layers before and behind ``body``, from ``u`` to ``v``.
    """
    bounds = bounds_of(f"u = Erf(x) {body} y = Erf(v)")
    return bounds["library_sequential_us"] - bounds["joined_sequential_us"]


def test_a_call_computes_what_follows_a_convolution() -> None:
    assert gain_us(f"a = Conv{PADS}(u, w, b) v = Relu(a)") > 1


def test_the_sum_of_two_convolutions_joins_one_of_them() -> None:
    body = f"a = Conv{PADS}(u, w) c = Conv{PADS}(u, k) s = Add(a, c) v = Relu(s)"
    assert gain_us(body) > 2, "Add and Relu are part of one convolution"


def test_a_layer_whose_result_two_read_stays_alone() -> None:
    both = f"a = Conv{PADS}(u, w) r = Relu(a) s = Erf(a) v = Max(r, s)"
    assert gain_us(both) == 0


def test_a_layer_whose_result_leaves_the_model_stays_alone() -> None:
    head = "m (float[8, 64, 28, 28] x) => (float[8, 64, 28, 28] y, float[8, 64, 28, 28] a)"
    body = f"{head} {{ a = Conv{PADS}(x, w) y = Relu(a) }}"
    bounds = analysis(body, WEIGHTS, libraries=("cudnn",))["bounds"]
    assert bounds["joined_sequential_us"] == bounds["library_sequential_us"]


TYPE = "tensor<8x28x28x64xf16>"


def parts(*ops: str, outputs: str = "%y") -> list[list[str]]:
    """Return the layers of each part of a model of ``%x``. ops: elementwise ones of ``graph``, each
    as ``layer name operands``. The last letter of a layer is its result, and its name where it has
    one letter.
    """
    lines, layers = [], dict[str, list[int]]()
    for number, (layer, name, *operands) in enumerate(op.split() for op in ops):
        types = TYPE if len(operands) == 1 else f"({TYPE}, {TYPE})"
        lines.append(f"%{layer[-1]} = graph.{name} {', '.join(operands)} : {types} -> {TYPE}")
        layers.setdefault(layer[:-1] or layer, []).append(number)
    results = ", ".join([TYPE] * len(outputs.split(", ")))
    head, end = f"func.func @main(%x: {TYPE}) -> ({results}) {{", f"func.return {outputs}"
    text = "\n".join([head, *lines, f"{end} : {results}", "}"])
    flow = Dataflow(find_main(parse_module(text, registry.new_context())).body.block)
    alone = {
        name: Kernels(tuple(Cluster(flow, (flow.ops[n],)) for n in numbers))
        for name, numbers in layers.items()
    }
    planner = Planner(arch.by_name("sm_90a"), libraries=("cudnn",))
    return [part.layers for part in joined(alone, planner)]


def test_a_layer_joins_the_one_that_only_it_reads() -> None:
    assert parts("a relu %x", "y sigmoid %a") == [["a", "y"]]


def test_what_leaves_the_model_is_not_only_between_two_layers() -> None:
    assert parts("a relu %x", "y sigmoid %a", outputs="%y, %a") == [["a"], ["y"]]


def test_a_part_does_not_move_behind_who_reads_another_of_its_results() -> None:
    """Layer ``p`` gives ``b`` and ``c``; ``r`` reads the one, and ``y`` could join the other."""
    ops = ("pb relu %x", "pc sigmoid %x", "rd erf %b", "e relu %c", "y add %d %e")
    assert parts(*ops)[:3] == [["p"], ["r"], ["e", "y"]]


def test_nothing_joins_what_no_library_computes() -> None:
    assert gain_us("a = Abs(u) v = Erf(a)") == 0


@pytest.mark.parametrize("libraries", [(), ("cudnn",)])
def test_only_an_analysis_with_libraries_has_their_bounds(libraries: tuple[str, ...]) -> None:
    body = "m (float[8, 64] x) => (float[8, 64] y) { y = Relu(x) }"
    keys = analysis(body, libraries=libraries)["bounds"].keys()
    shown = {x.key for x in BOUNDS if (libraries or not x.of_libraries) and not x.of_training}
    assert keys - {"fusion_gain_us"} == shown
    assert ("joined_sequential_us" in keys) == bool(libraries)


def test_a_layer_that_no_library_computes_is_counted_with_our_kernel() -> None:
    head = "m (float[8, 64, 28, 28] x) => (float[8, 64, 28, 28] y)"
    report = analysis(f"{head} {{ y = Erf(x) }}", libraries=("cudnn",))
    (layer,) = report["layers"]
    assert layer["library_us"] == {"us": layer["time_us"], "by": "dlc", "measured": False}


def test_a_call_that_was_not_measured_bounds_no_more_than_our_kernel() -> None:
    head = "m (float[1, 64, 7, 7] x) => (float[1, 64, 7, 7] y)"
    body = f"{head} {{ u = Erf(x) a = Relu(u) y = Erf(a) }}"
    relu = analysis(body, libraries=("cudnn",))["layers"][1]
    assert relu["libraries_us"]["cudnn"] > relu["time_us"], "so careful is its price"
    assert relu["library_us"] == {"us": relu["time_us"], "by": "dlc", "measured": False}


def test_parts_take_what_each_of_them_takes() -> None:
    one = Ways(3.0, 2.0, 2.5, {"a": 2.0}, {"a": [2.5, 2.0]}, ("a",), estimate=4.0)
    other = Ways(5.0, 5.0, 5.0, estimate=5.0, is_measured=False, is_best_measured=False)
    both = total([one, other])
    assert (both.ours, both.best, both.advised) == (8.0, 7.0, 7.5)
    assert both.estimate == 9.0
    assert both.by_library == {"a": 7.0}
    assert (both.is_measured, both.is_best_measured) == (False, False)
    assert both.callers == ("a",)
    assert not both.algorithms, "of two kernels"
    assert total([one]).algorithms == {"a": [2.5, 2.0]}


@pytest.mark.parametrize("precision", ["fp16", "fp32"])
def test_joined_layers_never_take_longer(precision: str) -> None:
    head = "m (float[1, 64, 7, 7] x) => (float[1, 64, 7, 7] y)"
    body = f"{head} {{ a = Conv{PADS}(x, w) c = Add(a, x) y = Relu(c) }}"
    bounds = analysis(body, WEIGHTS, precision=precision, libraries=("cudnn",))["bounds"]
    each = (pair.of(bounds) for pair in (JOINED, LIBRARIES, ADVISED))
    for joined_us, library_us, advised_us in zip(*each, strict=True):
        assert joined_us <= library_us <= advised_us
