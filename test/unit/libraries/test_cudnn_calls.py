"""What a call of cuDNN says, and which edited ones are refused: what is refused leads nowhere."""

import re
from collections.abc import Mapping
from math import prod

import pytest
from dnn_clusters import (
    BF16_IMAGE,
    BIAS,
    F32,
    GELU,
    LAYOUT,
    POOLINGS,
    RELU,
    SIGMOID,
    SPACE,
    TANH,
    TANH_GELU,
    TURN,
    attended,
    convolved,
    pooled,
    scalar,
)
from dnn_normalizations import ONLY_SCALED, SQUARES, normalized
from xdsl.dialects.builtin import MemRefType, bf16, f16, f32
from xdsl.ir import Attribute

from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.ir.record import Inner
from dlc.libraries._operation_graph import OperationGraph
from dlc.libraries.cudnn import LIBRARY

SIZES = ([2, 9, 7, 16], [24, 3, 3, 16], [24], [2, 7, 5, 24])
Edits = Mapping[int, Mapping[str, object]]


def convolution() -> CallAttr:
    """Return the call of a convolution, a bias, a factor and a relu."""
    return LIBRARY.call(convolved(BIAS, scalar("mul", "0.5", 2), RELU))


X, WEIGHT, CONVOLVED, VECTOR, SUM, NUMBER, PRODUCT, Y = range(8)
"""Its tensors."""

CONV, ADD, MUL, RELU_OF_ALL = range(4)
"""Its operations."""


def buffers(*types: Attribute) -> list[MemRefType[Attribute]]:
    """Return its buffers, of f16 or these types."""
    given = types or (f16,) * len(SIZES)
    return [MemRefType(type, sizes) for type, sizes in zip(given, SIZES, strict=True)]


def edited(name: str, edits: Edits, call: CallAttr | None = None) -> list[object]:
    """Return its records with values added or changed; one of ``None`` is left out. call: another
    one.
    """
    records = (call or convolution())[name]
    assert isinstance(records, tuple)
    found: list[object] = []
    for number, each in enumerate(records):
        assert isinstance(each, Inner)
        merged = {**each.as_dict(), **edits.get(number, {})}
        found.append({key: value for key, value in merged.items() if value is not None})
    return found


def refused(reason: str, **keys: object) -> None:
    """Assert that the call is refused with a reason once it has these keys, and not before."""
    call = convolution()
    LIBRARY.check(call, buffers())
    call = call.replace(**keys)
    with pytest.raises(CompileError, match=re.escape(reason)) as raised:
        LIBRARY.check(call, buffers())
    assert "\n" not in raised.value.message


def test_a_call_says_all_that_the_code_needs() -> None:
    call = convolution()
    assert (call.library, call.function, call.count) == ("cudnn", "cudnnBackendExecute", 1)
    assert (call.buffers, call.workspace) == ((0, 1, 2, 4), 32 << 20)  # 3: nobody reads it


WRONG_KEYS = {
    "another function": ("not by cudnnDestroy", {"function": "cudnnDestroy"}),
    "two counts": ("counts 1", {"count": 2}),
    "less than no workspace": ("names a workspace", {"workspace": -1}),
    "a ninth algorithm": ("names no algorithm", {"algorithm": 8}),
    "an algorithm before the first": ("names no algorithm", {"algorithm": -1}),
    "half an algorithm": ("should be like 0", {"algorithm": 0.5}),
    "no tensors": ("tensors of a call are records", {"tensors": []}),
    "no operations": ("operations of a call are records", {"operations": []}),
    "a number for operations": ("operations = 3 should be like ()", {"operations": 3}),
    "a number beside tensors": (
        "tensors of a call are records",
        {"tensors": [*edited("tensors", {}), 1]},
    ),
    "rounding to f16": ("to tf32, or not at all", {"rounds": "f16"}),
    "numbers for tensors": ("tensors of a call are records", {"tensors": [1, 2]}),
}


@pytest.mark.parametrize(("reason", "keys"), WRONG_KEYS.values(), ids=WRONG_KEYS)
def test_wrong_keys_are_refused(reason: str, keys: dict[str, object]) -> None:
    refused(reason, **keys)


INTEGERS = "integers from 0 to 2147483647"
MOST = 1 << 31

WRONG_TENSORS = {
    "a buffer behind the last": ("has no buffer 4", {X: {"buffer": 4}}),
    "a buffer before the first": ("has no buffer -1", {X: {"buffer": -1}}),
    "a buffer that is no number": ("buffer of a record", {X: {"buffer": "0"}}),
    "one image more": ("leads out of buffer 0", {X: {"sizes": [3, 16, 9, 7]}}),
    "one column more": ("leads out of buffer 0", {X: {"sizes": [2, 16, 9, 8]}}),
    "a longer step": ("leads out of buffer 1", {WEIGHT: {"strides": [145, 1, 48, 16]}}),
    "a longer vector": ("leads out of buffer 2", {VECTOR: {"sizes": [1, 25, 1, 1]}}),
    "a larger result": ("leads out of buffer 3", {Y: {"sizes": [2, 24, 7, 6]}}),
    "a step back": (INTEGERS, {X: {"strides": [1008, 1, -112, 16]}}),
    "a step of 2 to the 31": (INTEGERS, {CONVOLVED: {"strides": [MOST, 1, 120, 24]}}),
    "a size of 2 to the 31": (INTEGERS, {CONVOLVED: {"sizes": [MOST, 24, 7, 5]}}),
    "no size": ("no tensor has sizes", {X: {"sizes": [0, 16, 9, 7]}}),
    "half a size": (INTEGERS, {X: {"sizes": [1.5, 16, 9, 7]}}),
    "a size that is true": (INTEGERS, {X: {"sizes": [True, 16, 9, 7]}}),
    "sizes that are no list": ("sizes of a record", {X: {"sizes": 4}}),
    "no strides": ("strides of a record", {X: {"strides": None}}),
    "no axes": ("as many strides as sizes", {X: {"sizes": [], "strides": []}}),
    "less strides": ("as many strides as sizes", {X: {"strides": [1008, 1, 112]}}),
    "six axes": ("at most 5", {X: {"sizes": [1] * 6, "strides": [1] * 6}}),
    "another type than the buffer": ("of bf16 is in buffer", {X: {"element": "bf16"}}),
    "a type that is no text": ("element of a record", {X: {"element": 2}}),
    "f64 between": ("no tensors of f64", {SUM: {"element": "f64"}}),
    "C for a type": ("no tensors of 0}; x()", {SUM: {"element": "0}; x()"}}),
    "numbers": ("a number is one element", {NUMBER: {"sizes": [1, 2, 1, 1]}}),
    "a number of f16": ("a number is one element of f32", {NUMBER: {"element": "f16"}}),
    "a number beyond f32": ("a number is one element of f32", {NUMBER: {"number": 1e39}}),
    "a number that is none": ("number of a record", {NUMBER: {"number": "0.5"}}),
    "nothing for a number": ("make what is between them", {NUMBER: {"number": None}}),
    "an input that is between": ("make what is between them", {X: {"buffer": None}}),
    "a result that is between": ("to the last buffer", {Y: {"buffer": None, "element": "f32"}}),
    "a result of two rows in one": ("has each element", {Y: {"strides": [840, 1, 0, 24]}}),
    "a result with gaps": (
        "has each element",
        {Y: {"sizes": [2, 24, 7, 5], "strides": [0, 1, 120, 24]}},
    ),
    "a result in an input": (
        "to the last buffer",
        {SUM: {"buffer": 0, "element": "f16"}},
    ),
    "an input in the result": ("to the last buffer", {VECTOR: {"buffer": 3}}),
}


@pytest.mark.parametrize(("reason", "edits"), WRONG_TENSORS.values(), ids=WRONG_TENSORS)
def test_wrong_tensors_are_refused(reason: str, edits: Edits) -> None:
    refused(reason, tensors=edited("tensors", edits))


LISTS = {name: [1, 1, 1] for name in ("strides", "begins", "ends", "dilations")}

WRONG_OPERATIONS = {
    "an unknown one": ("no operation exp", {ADD: {"name": "exp"}}),
    "C for a name": ("no operation 0}; x()", {ADD: {"name": "0}; x()"}}),
    "no name": ("name of a record", {ADD: {"name": None}}),
    "a tensor behind the last": ("reads what no", {ADD: {"inputs": [CONVOLVED, 8]}}),
    "a tensor before the first": (INTEGERS, {ADD: {"inputs": [CONVOLVED, -1]}}),
    "what is made later": ("reads what no", {ADD: {"inputs": [PRODUCT, VECTOR]}}),
    "its own result": ("reads what no", {RELU_OF_ALL: {"inputs": [Y]}}),
    "the result, before it is there": ("reads what no", {ADD: {"inputs": [CONVOLVED, Y]}}),
    "no inputs": ("reads what no", {RELU_OF_ALL: {"inputs": []}}),
    "inputs that are no list": ("inputs of a record", {RELU_OF_ALL: {"inputs": 6}}),
    "an output behind the last": ("no tensor of its own", {RELU_OF_ALL: {"output": 8}}),
    "an output before the first": ("no tensor of its own", {RELU_OF_ALL: {"output": -1}}),
    "an output that is no number": ("output of a record", {RELU_OF_ALL: {"output": "7"}}),
    "an output of another": ("no tensor of its own", {MUL: {"output": SUM}}),
    "an output that is a number": (
        "make what is between them",
        {ADD: {"output": NUMBER}, MUL: {"inputs": [NUMBER, VECTOR]}},
    ),
    "a sum of one": ("add of cuDNN has 2 inputs", {ADD: {"inputs": [CONVOLVED]}}),
    "a relu of two": ("relu of cuDNN has 1 inputs", {RELU_OF_ALL: {"inputs": [PRODUCT, VECTOR]}}),
    "a convolution of three": ("has 2 inputs", {CONV: {"inputs": [X, WEIGHT, VECTOR]}}),
    "attention of two": ("attention of cuDNN has 4 inputs", {ADD: {"name": "attention"}}),
    "steps of one axis": ("has lists of", {CONV: {"strides": [1]}}),
    "no dilations": ("has lists of", {CONV: {"dilations": None}}),
    "another list": ("has lists of", {CONV: {"groups": [1, 1]}}),
    "a list of a sum": ("has lists of", {ADD: {"strides": [1, 1]}}),
    "three axes of four": ("has lists of", {CONV: LISTS}),
    "padding off": (INTEGERS, {CONV: {"begins": [-1, 0]}}),
    "a dilation of 2 to the 31": (INTEGERS, {CONV: {"dilations": [MOST, 1]}}),
    "C for a list": ("has lists of", {CONV: {"strides": None, "strides = {1}, .x": [1, 1]}}),
}


@pytest.mark.parametrize(("reason", "edits"), WRONG_OPERATIONS.values(), ids=WRONG_OPERATIONS)
def test_wrong_operations_are_refused(reason: str, edits: Edits) -> None:
    refused(reason, operations=edited("operations", edits))


SMALL = {"sizes": [2, 24, 1, 5]}
BOTH_SMALL = {CONVOLVED: SMALL, SUM: SMALL, PRODUCT: SMALL, Y: SMALL}
NO_FIT = "of cuDNN does not fit the sizes"

UNEVEN: Edits = {
    WEIGHT: {"sizes": [24, 1, 3, 3]},
    X: {"sizes": [2, 14, 9, 7]},
}
"""14 groups of a channel, of which 24 is no multiple."""

OTHER_SIZES = {
    "a result of less rows": (f"relu {NO_FIT}", {Y: SMALL}),
    "a summand of more rows": (f"mul {NO_FIT}", {PRODUCT: SMALL, Y: SMALL}),
    "a vector of less channels": (f"add {NO_FIT}", {VECTOR: {"sizes": [1, 8, 1, 1]}}),
    "a vector of one axis": (f"add {NO_FIT}", {VECTOR: {"sizes": [24], "strides": [1]}}),
    "less rows of all that is made": (f"convolution {NO_FIT}", BOTH_SMALL),
    "less rows of the data": (f"convolution {NO_FIT}", {X: {"sizes": [2, 16, 8, 7]}}),
    "less images": (f"convolution {NO_FIT}", {X: {"sizes": [1, 16, 9, 7]}}),
    "less channels": (f"convolution {NO_FIT}", {X: {"sizes": [2, 15, 9, 7]}}),
    "less results": (f"convolution {NO_FIT}", {WEIGHT: {"sizes": [23, 16, 3, 3]}}),
    "14 groups of 24 results": (f"convolution {NO_FIT}", UNEVEN),
    "data with channels first": (
        f"convolution {NO_FIT}",
        {X: {"strides": [1008, 63, 7, 1]}},
    ),
    "a weight with channels first": (
        f"convolution {NO_FIT}",
        {WEIGHT: {"strides": [144, 9, 3, 1]}},
    ),
    "a result with channels first": (
        f"convolution {NO_FIT}",
        {CONVOLVED: {"strides": [840, 35, 5, 1]}},
    ),
    "less taps": (f"convolution {NO_FIT}", {WEIGHT: {"sizes": [24, 16, 3, 2]}}),
    "a weight of another rank": (
        f"convolution {NO_FIT}",
        {WEIGHT: {"sizes": [24, 16, 3], "strides": [144, 1, 48]}},
    ),
    "data of another rank": (
        f"convolution {NO_FIT}",
        {X: {"sizes": [2, 16, 9], "strides": [1008, 1, 112]}},
    ),
}

OTHER_WINDOWS = {
    "another step": {"strides": [2, 1]},
    "no step": {"strides": [0, 1]},
    "one more before": {"begins": [1, 0]},
    "one more behind": {"ends": [0, 1]},
    "a gap": {"dilations": [1, 2]},
    "a window that is larger than the data": {"dilations": [9, 1]},
}


@pytest.mark.parametrize(("reason", "edits"), OTHER_SIZES.values(), ids=OTHER_SIZES)
def test_sizes_that_do_not_fit_are_refused(reason: str, edits: Edits) -> None:
    """Not all of them does cuDNN itself compare: it computes beyond a smaller tensor."""
    refused(reason, tensors=edited("tensors", edits))


@pytest.mark.parametrize("edits", OTHER_WINDOWS.values(), ids=OTHER_WINDOWS)
def test_windows_that_do_not_fit_are_refused(edits: Mapping[str, object]) -> None:
    refused(f"convolution {NO_FIT}", operations=edited("operations", {CONV: edits}))


def test_what_is_broadcast_is_the_second_input() -> None:
    swapped = {ADD: {"inputs": [VECTOR, CONVOLVED]}}
    refused(f"add {NO_FIT}", operations=edited("operations", swapped))


QUERY, KEY, VALUE, SCALE, RESULT = range(5)

OTHER_HEADS = {
    "less queries": {QUERY: {"sizes": [2, 3, 31, 64]}},
    "less keys": {KEY: {"sizes": [2, 3, 39, 64]}},
    "shorter keys": {KEY: {"sizes": [2, 3, 40, 56]}},
    "heads of keys": {KEY: {"sizes": [2, 1, 40, 64]}},
    "less values": {VALUE: {"sizes": [2, 3, 39, 64]}},
    "images of values": {VALUE: {"sizes": [1, 3, 40, 64]}},
    "a shorter result": {RESULT: {"sizes": [2, 3, 32, 56]}},
    "less results": {RESULT: {"sizes": [2, 3, 31, 64]}},
    "three axes": {QUERY: {"sizes": [6, 32, 64], "strides": [2048, 64, 1]}},
    "a scale for each query": {
        SCALE: {"sizes": [2, 3, 32, 1], "strides": [96, 32, 1, 1], "number": None, "buffer": 0}
        | {"element": "f16"}
    },
}


@pytest.mark.parametrize("edits", OTHER_HEADS.values(), ids=OTHER_HEADS)
def test_attention_that_does_not_fit_is_refused(edits: Edits) -> None:
    call = LIBRARY.call(attended())
    sizes = ([2, 3, 32, 64], [2, 3, 40, 64], [2, 3, 40, 64], [2, 3, 32, 64])
    given = [MemRefType(f16, each) for each in sizes]
    LIBRARY.check(call, given)
    with pytest.raises(CompileError, match=f"attention {NO_FIT}"):
        LIBRARY.check(call.replace(tensors=edited("tensors", edits, call)), given)


ROW, VECTOR_OF_ROW, EPSILON, SHIFT, NORMAL = range(5)

OTHER_ROWS = {
    "less rows": {ROW: {"sizes": [14, 48, 1, 1]}},
    "a row of less": {ROW: {"sizes": [15, 47, 1, 1]}},
    "less results": {NORMAL: {"sizes": [14, 48, 1, 1]}},
    "a shorter scale": {VECTOR_OF_ROW: {"sizes": [1, 47, 1, 1]}},
    "a scale of one": {VECTOR_OF_ROW: {"sizes": [1, 1, 1, 1]}},
    "a shorter bias": {SHIFT: {"sizes": [1, 47, 1, 1]}},
    "a bias of two axes": {SHIFT: {"sizes": [1, 48], "strides": [48, 1]}},
    "two axes": {n: {"sizes": [15, 48], "strides": [48, 1]} for n in (ROW, NORMAL)},
    "three axes": {
        n: {"sizes": [1 if n in (VECTOR_OF_ROW, SHIFT) else 15, 48, 1], "strides": [48, 1, 1]}
        for n in (ROW, VECTOR_OF_ROW, SHIFT, NORMAL)
    },
    "an epsilon of rows": {
        EPSILON: {"sizes": [15, 1, 1, 1], "number": None, "buffer": 0, "element": "f16"}
    },
    "an epsilon of one axis": {EPSILON: {"sizes": [1], "strides": [1]}},
}


def normalization() -> tuple[CallAttr, list[MemRefType[Attribute]]]:
    """Return the call of a layer normalisation, and its buffers."""
    sizes = ([5, 3, 48], [48], [48], [5, 3, 48])
    return LIBRARY.call(normalized()), [MemRefType(f16, each) for each in sizes]


@pytest.mark.parametrize("edits", OTHER_ROWS.values(), ids=OTHER_ROWS)
def test_a_normalization_that_does_not_fit_is_refused(edits: Edits) -> None:
    call, given = normalization()
    LIBRARY.check(call, given)
    with pytest.raises(CompileError, match=f"layer_norm {NO_FIT}"):
        LIBRARY.check(call.replace(tensors=edited("tensors", edits, call)), given)


@pytest.mark.parametrize("inputs", [[ROW, VECTOR_OF_ROW], [*range(4), SHIFT]])
def test_a_normalization_has_a_bias_or_none(inputs: list[int]) -> None:
    call, given = normalization()
    wrong = edited("operations", {0: {"inputs": inputs}}, call)
    with pytest.raises(CompileError, match="layer_norm of cuDNN has 3 or 4 inputs"):
        LIBRARY.check(call.replace(operations=wrong), given)


def test_the_code_of_a_normalization_names_its_mode() -> None:
    for asked, mode in ((normalized(), 0), (normalized(centred=SQUARES, **ONLY_SCALED), 4)):
        code = LIBRARY.code(LIBRARY.call(asked))
        assert f".kind = CUDNN_NORMALIZATION, .mode = {mode}, " in code


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_smaller_buffers_are_refused(number: int) -> None:
    """A buffer that lacks one element, or is of another type."""
    call, given = convolution(), buffers()
    given[number] = MemRefType(f16, [prod(SIZES[number]) - 1])
    with pytest.raises(CompileError, match=f"leads out of buffer {number}"):
        LIBRARY.check(call, given)
    for type in (bf16, f32):
        given[number] = MemRefType(type, SIZES[number])
        with pytest.raises(CompileError, match="a tensor of f16 is in buffer"):
            LIBRARY.check(call, given)


NAME = r"[A-Za-z_]\w*"
OURS = {
    *("workspace", "tensor_count", "operation_count", "tensors", "operations"),
    *("const", "cudnn_tensor", "cudnn_operation", "place", "buffer", "number", "type", "rank"),
    *("sizes", "strides", "kind", "mode", "input_count", "inputs", "output", "axes"),
    *("begins", "ends", "dilations", "CUDNN_BETWEEN", "CUDNN_IN_BUFFER", "CUDNN_NUMBER"),
    *("CUDNN_CONVOLUTION", "CUDNN_POINTWISE", "CUDNN_ATTENTION"),
    *("CUDNN_NORMALIZATION", "CUDNN_POOLING", "taps", "is_full"),
}


ALL = [convolution(), LIBRARY.call(attended()), normalization()[0], LIBRARY.call(convolved(**F32))]


@pytest.mark.parametrize("call", [*ALL, *map(LIBRARY.call, POOLINGS.values())])
def test_the_code_is_numbers_and_names_of_ours(call: CallAttr) -> None:
    code = LIBRARY.code(call)
    plain = re.sub(r"0x1\.[0-9a-f]+p[+-]\d+|\b\d+u?\b", "0", code)
    assert set(re.findall(NAME, plain)) <= OURS
    assert set(re.sub(NAME, "", plain)) <= set("{}[]()., =0-")


def test_the_code_of_a_call() -> None:
    call = LIBRARY.call(convolved(RELU))
    window = ".strides = {1, 1}, .begins = {0, 0}, .ends = {0, 0}, .dilations = {1, 1}, .axes = 2"
    assert LIBRARY.code(call) == (
        "{.workspace = 33554432u, .tensor_count = 4, .operation_count = 2, "
        ".tensors = (const cudnn_tensor[]){"
        "{.place = CUDNN_IN_BUFFER, .buffer = 0, .type = 2, .rank = 4, "
        ".sizes = {2, 16, 9, 7}, .strides = {1008, 1, 112, 16}}, "
        "{.place = CUDNN_IN_BUFFER, .buffer = 1, .type = 2, .rank = 4, "
        ".sizes = {24, 16, 3, 3}, .strides = {144, 1, 48, 16}}, "
        "{.place = CUDNN_BETWEEN, .type = 0, .rank = 4, "
        ".sizes = {2, 24, 7, 5}, .strides = {840, 1, 120, 24}}, "
        "{.place = CUDNN_IN_BUFFER, .buffer = 2, .type = 2, .rank = 4, "
        ".sizes = {2, 24, 7, 5}, .strides = {840, 1, 120, 24}}}, "
        ".operations = (const cudnn_operation[]){"
        "{.kind = CUDNN_CONVOLUTION, .mode = 0, .input_count = 2, .inputs = {0, 1}, .output = 2, "
        f"{window}}}, "
        "{.kind = CUDNN_POINTWISE, .mode = 100, .input_count = 1, .inputs = {2}, .output = 3}}}"
    )


def is_full(call: CallAttr) -> bool:
    """Whether the code of a call asks for products of all bits."""
    return ".is_full = 1" in LIBRARY.code(call)


def test_products_of_f32_are_full_unless_they_are_rounded() -> None:
    """Of poolings and functions nothing is asked, whose engines may say that they round."""
    assert is_full(LIBRARY.call(convolved(**F32)))
    rounding = LIBRARY.call(convolved(layout=f"{LAYOUT} precision tf32", **F32))
    assert rounding.get("rounds", "") == "tf32"
    assert not is_full(rounding)
    assert not is_full(LIBRARY.call(convolved()))
    assert not any(map(is_full, map(LIBRARY.call, POOLINGS.values())))


IMAGE, WINDOWS = range(2)

OTHER_POOLS = {
    "a row less": {IMAGE: {"sizes": [2, 24, 8, 7]}},
    "an image less": {IMAGE: {"sizes": [1, 24, 9, 7]}},
    "a channel less": {IMAGE: {"sizes": [2, 23, 9, 7]}},
    "channels first": {IMAGE: {"strides": [1512, 63, 7, 1]}},
    "a result with channels first": {WINDOWS: {"strides": [288, 12, 3, 1]}},
    "an axis less": {IMAGE: {"sizes": [2, 24, 63], "strides": [1512, 1, 24]}},
}

OTHER_TAPS = {
    "larger windows": {"taps": [4, 3]},
    "smaller windows": {"taps": [2, 3], "ends": [1, 0]},
    "no windows": {"taps": [0, 3]},
    "other steps": {"strides": [1, 2]},
    "no steps": {"strides": [0, 2]},
    "padding before": {"begins": [2, 0]},
    "padding behind": {"ends": [2, 0]},
    "windows of padding": {"begins": [3, 0], "ends": [0, 0], "taps": [3, 3], "strides": [3, 2]},
}


def pooling() -> tuple[CallAttr, list[MemRefType[Attribute]]]:
    """Return the call of a pooling, and its buffers."""
    return LIBRARY.call(pooled("max_pool")), [
        MemRefType(f16, each) for each in ([2, 9, 7, 24], [2, 4, 3, 24])
    ]


@pytest.mark.parametrize("edits", OTHER_POOLS.values(), ids=OTHER_POOLS)
def test_images_that_do_not_fit_are_refused(edits: Edits) -> None:
    call, given = pooling()
    LIBRARY.check(call, given)
    with pytest.raises(CompileError, match=f"max_pool {NO_FIT}"):
        LIBRARY.check(call.replace(tensors=edited("tensors", edits, call)), given)


@pytest.mark.parametrize("edits", OTHER_TAPS.values(), ids=OTHER_TAPS)
def test_windows_of_a_pooling_that_do_not_fit_are_refused(edits: Mapping[str, object]) -> None:
    call, given = pooling()
    with pytest.raises(CompileError, match=f"max_pool {NO_FIT}"):
        LIBRARY.check(call.replace(operations=edited("operations", {0: edits}, call)), given)


MISCOMPUTED = {
    "bf16": ("finds wrong largest elements of bf16", bf16, BF16_IMAGE),
    "three axes": ("loses a NaN among largest elements", f16, SPACE),
}


@pytest.mark.parametrize(("reason", "type", "image"), MISCOMPUTED.values(), ids=MISCOMPUTED)
def test_what_cudnn_computes_wrongly_is_refused(
    reason: str, type: Attribute, image: dict[str, str]
) -> None:
    """The mean of the same windows is not."""
    call = LIBRARY.call(pooled("average_pool", **image))
    sizes = [[int(n) for n in image[name].split("x")[:-1]] for name in "xy"]
    given = [MemRefType(type, each) for each in sizes]
    LIBRARY.check(call, given)
    largest = edited("operations", {0: {"name": "max_pool"}}, call)
    with pytest.raises(CompileError, match=reason):
        LIBRARY.check(call.replace(operations=largest), given)


def test_a_pooling_has_two_algorithms() -> None:
    call, given = pooling()
    LIBRARY.check(call.replace(algorithm=1), given)
    with pytest.raises(CompileError, match="names no algorithm"):
        LIBRARY.check(call.replace(algorithm=2), given)


def test_the_numbers_of_pointwise_functions_are_those_of_cudnn() -> None:
    """``cudnnPointwiseMode_t``: the two forms of gelu differ by less than a rounding of f16."""
    for after, mode in ((GELU, 104), (TANH_GELU, 107), (TANH, 101), (SIGMOID, 102)):
        assert f".mode = {mode}," in LIBRARY.code(LIBRARY.call(convolved(after)))


def test_a_result_may_be_turned_by_any_permutation() -> None:
    """Axes of a result of [heads, rows, batch, elements] stand where attention has them."""
    turned = attended(TURN, axes="1, 2, 0, 3", result="3x32x2x64xf16")
    result = OperationGraph.read(LIBRARY.call(turned)).tensors[-1]
    assert (result.sizes, result.strides) == ((2, 3, 32, 64), (64, 4096, 128, 1))
