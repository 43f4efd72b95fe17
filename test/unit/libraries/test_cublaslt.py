"""Which groups cuBLASLt computes, which calls it takes, and what its file must have."""

import ctypes
import os
import re

import pytest
from library_contract import check_refused, check_taken
from programs import cluster
from xdsl.dialects.builtin import MemRefType, bf16, f16, f32, i8, i32
from xdsl.ir import Attribute

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200, V100
from dlc.core.measurements import NOTHING
from dlc.errors import CompileError
from dlc.libraries.cublaslt import LIBRARY
from dlc.plan import Plan, Planner
from dlc.runtime.called_library import file_of_wheel
from dlc.tuning.tuned import Tuned

PRODUCT = "%0 = graph.matmul %x, %y {turned} : ({x}, {y}) -> {z}"
BIAS = "%{n} = graph.add %{p}, %v : ({z}, {v}) -> {z}"
RELU = "%{n} = graph.relu %{p} : {z} -> {z}"
EXP = "%{n} = graph.exp %{p} : {z} -> {z}"


def product(
    *after: str,
    turned: str = "",
    x: str = "64x48xf16",
    y: str = "48x32xf16",
    z: str = "64x32xf16",
    v: str = "32xf16",
) -> Cluster:
    """Return a product and the ops after it as a cluster."""
    types = {name: f"tensor<{each}>" for name, each in zip("xyzv", (x, y, z, v), strict=True)}
    lines = [PRODUCT.format(turned=turned, **types)]
    lines += [op.format(n=n + 1, p=n, **types) for n, op in enumerate(after)]
    signature = "%x: {x}, %y: {y}, %v: {v}".format(**types)
    return cluster("\n".join(lines), f"%{len(after)}: {types['z']}", signature)


CONV = (
    "%0 = graph.conv %x, %y strides [1, 1] padding [{0}, {0}, {0}, {0}] dilations [1, 1] : "
    "(tensor<1x4x8x8xf16>, tensor<6x4x{1}xf16>) -> tensor<1x6x8x8xf16>"
)


def convolution(padding: int, window: str) -> Cluster:
    """Return a convolution."""
    signature = f"%x: tensor<1x4x8x8xf16>, %y: tensor<6x4x{window}xf16>"
    return cluster(CONV.format(padding, window), "%0: tensor<1x6x8x8xf16>", signature)


F32 = {"x": "64x48xf32", "y": "48x32xf32", "z": "64x32xf32", "v": "32xf32"}
F64 = {name: sizes.replace("f32", "f64") for name, sizes in F32.items()}
I8 = {"x": "64x48xi8", "y": "32x48xi8", "z": "64x32xi32", "v": "32xi32"}
TURNED = "transpose_rhs"

ACCEPTED = {
    "a product of f16": product(),
    "a turned rhs": product(turned=TURNED, y="32x48xf16"),
    "a product of f32": product(**F32),
    "a product of tf32": product(turned="precision tf32", **F32),
    "a product of f64": product(**F64),
    "a product of i8": product(turned=TURNED, **I8),
    "a batch": product(x="5x64x48xf16", y="5x48x32xf16", z="5x64x32xf16"),
    "a bias": product(BIAS),
    "a relu": product(RELU),
    "a bias, then a relu": product(BIAS, RELU),
    "a convolution of single pixels": convolution(0, "1x1"),
}

REFUSED = {
    "products of matrices, with a bias and a relu": cluster(
        "%1 = exp %x : 4x8", "%1: tensor<4x8xf32>", "%x: tensor<4x8xf32>"
    ),
    "computes products of matrices": product(RELU, BIAS),
    "products of matrices, with": product(EXP),
    "a bias and a relu behind": product(BIAS, BIAS),
    "with a bias and": product(BIAS, v="64x32xf16"),
    "no bias and no relu behind products of f64": product(RELU, **F64),
    "no bias and no relu behind products of i8": product(BIAS, turned=TURNED, **I8),
    "no products of i8 and ui8": product(turned=TURNED, **{**I8, "y": "32x48xui8"}),
    "both factors lie along the reduction": product(**{**I8, "y": "48x32xi8"}),
    "whose rows are multiples of 4": product(
        turned=TURNED, x="64x46xi8", y="32x46xi8", z="64x32xi32", v="32xi32"
    ),
    "there is nothing to multiply": product(x="0x48xf16", z="0x32xf16"),
    "the factors are no matrices in memory": convolution(1, "3x3"),
}


@pytest.mark.parametrize("asked", ACCEPTED.values(), ids=ACCEPTED)
def test_a_product_is_taken(asked: Cluster) -> None:
    check_taken(LIBRARY, asked, H200)


@pytest.mark.parametrize("reason", REFUSED)
def test_the_reason_is_said(reason: str) -> None:
    check_refused(LIBRARY, REFUSED[reason], H200, reason)


def test_a_chip_that_does_not_multiply_the_type() -> None:
    asked = product(x="64x48xbf16", y="48x32xbf16", z="64x32xbf16", v="32xbf16")
    assert LIBRARY.obstacle(asked, V100) == "v100 has nothing that multiplies bf16"


def test_rows_that_are_no_multiples_of_16_bytes_take_longer() -> None:
    even, odd = (
        LIBRARY.price(product(x="2048x768xf16", y=f"768x{n}xf16", z=f"2048x{n}xf16"), H200)
        for n in (50256, 50257)
    )
    assert odd.seconds > 5 * even.seconds


def test_a_call_says_all_that_the_code_needs() -> None:
    call = LIBRARY.call(product(BIAS, RELU, turned=TURNED, y="32x48xf16"))
    assert (call.function, call.buffers, call.count) == ("cublasLtMatmul", (0, 1, 3, 2), 1)
    assert (call.workspace, call["type"], call["relu"]) == (32 << 20, "f16", True)
    assert call["sizes"] == (1, 64, 32, 48)
    LIBRARY.check(call, [MemRefType(f16, n) for n in ([64, 48], [32, 48], [64, 32], [32])])


def fields(code: str) -> dict[str, str]:
    """Return what an initialiser of numbers and of structures of numbers gives each member."""
    matrices = dict(re.findall(r"\.(\w) = \{([^}]*)\}", code))
    text = re.sub(r"\.\w = \{[^}]*\}", "", code)
    found = dict(re.findall(r"\.(\w+) = (\w+)", text))
    for name, inner in matrices.items():
        found |= {f"{name}.{key}": value for key, value in re.findall(r"\.(\w+) = (\w+)", inner)}
    return found


def fields_of(cluster: Cluster) -> dict[str, str]:
    """Return what the C text is told of a product."""
    return fields(LIBRARY.code(LIBRARY.call(cluster)))


def members(structure: str) -> set[str]:
    """Return the members of a structure of the C text."""
    (body,) = re.findall(rf"typedef struct {structure} {{([^}}]*)}}", LIBRARY.text)
    lines = (line.split(None, 1)[1] for line in body.split(";") if line.strip())
    return {name.strip(" *") for names in lines for name in names.split(",")}


def test_the_code_names_all_members() -> None:
    """C sets what an initialiser does not name to zero, and says nothing."""
    given = set(fields_of(product()))
    outer = {name for name in given if "." not in name} | {name[0] for name in given if "." in name}
    assert outer == members("cublaslt_call")
    for matrix in "abd":
        of = {name[2:] for name in given if name.startswith(f"{matrix}.")}
        assert of == members("cublaslt_matrix")


PLAIN = {
    **{"compute": "68", "scale": "0", "epilogue": "1", "products": "1"},
    **{"bias": "3", "workspace": "33554432u"},
}
FACTORS = {
    "a": {"buffer": "1", "rows": "32u", "columns": "48u", "pitch": "32"},
    "b": {"buffer": "0", "rows": "48u", "columns": "64u", "pitch": "48"},
    "d": {"buffer": "2", "rows": "32u", "columns": "64u", "pitch": "32"},
}
COMMON = {"alignment": "16", "type": "2", "turned": "0", "start": "0u", "step": "0"}


def test_the_transposed_product_is_handed_over() -> None:
    """Matrices of cuBLASLt are column-major: the rhs comes first, and rows are columns."""
    matrices = {name: {**COMMON, **numbers} for name, numbers in FACTORS.items()}
    plain = {f"{name}.{key}": x for name, numbers in matrices.items() for key, x in numbers.items()}
    assert fields_of(product()) == {**PLAIN, **plain}
    turned = fields_of(product(turned=TURNED, y="32x48xf16"))
    a = {"a.turned": "1", "a.rows": "48u", "a.columns": "32u", "a.pitch": "48"}
    assert turned == {**PLAIN, **plain, **a}


EPILOGUES = {1: (), 2: (RELU,), 4: (BIAS,), 6: (BIAS, RELU)}


@pytest.mark.parametrize("number", EPILOGUES)
def test_what_follows_is_an_epilogue(number: int) -> None:
    assert fields_of(product(*EPILOGUES[number]))["epilogue"] == str(number)


COMPUTED = {
    "f16": (product(), "68", "0"),
    "f32": (product(**F32), "68", "0"),
    "tf32": (product(turned="precision tf32", **F32), "77", "0"),
    "f64": (product(**F64), "70", "1"),
    "i8": (product(turned=TURNED, **I8), "72", "10"),
}


@pytest.mark.parametrize("type", COMPUTED)
def test_the_type_of_sums(type: str) -> None:
    asked, *numbers = COMPUTED[type]
    found = fields_of(asked)
    assert [found["compute"], found["scale"]] == numbers


def test_starts_say_how_they_are_aligned() -> None:
    found = fields(LIBRARY.code(LIBRARY.call(product()).replace(starts=(1, 4, 8))))
    assert [found[f"{name}.alignment"] for name in "bad"] == ["2", "8", "16"]
    assert [found[f"{name}.start"] for name in "bad"] == ["2u", "8u", "16u"]


WRONG = {
    "computes products of f16 or bf16": {"type": "f8"},
    "not by cublasLtMatrixTransform": {"function": "cublasLtMatrixTransform"},
    "the call has 3 buffers, or 4 with a bias, and counts 1": {"count": 2},
    "names no algorithm of cuBLASLt": {"algorithm": 8},
    "or no workspace": {"workspace": -1},
    "relu = 1 should be like False": {"relu": 1},
    "no bias and no relu behind these products": {"type": "f64", "relu": True},
    "does not take buffer 0": {"type": "f32"},
    "leads out of buffer 0": {"starts": (1, 0, 0)},
    "leads out of buffer 3": {"starts": (0, 0, 1)},
    "sizes of a call of BLAS are 4 integers": {"sizes": (1, 64, 32)},
    "BLAS takes no matrix": {"pitches": (47, 32, 32)},
}


@pytest.mark.parametrize("reason", WRONG)
def test_an_edited_call_is_refused(reason: str) -> None:
    call = LIBRARY.call(product())
    buffers = [MemRefType(f16, sizes) for sizes in ([64, 48], [48, 32], [64, 32])]
    LIBRARY.check(call, buffers)
    with pytest.raises(CompileError, match=reason):
        LIBRARY.check(call.replace(**WRONG[reason]), buffers)


def memrefs(*types: Attribute) -> list[MemRefType[Attribute]]:
    """Return the buffers of a product with a bias, of these types."""
    sizes = [64, 48], [32, 48], [64, 32], [32]
    return [MemRefType(type, each) for type, each in zip(types, sizes, strict=False)]


def test_buffers_of_another_type_are_refused() -> None:
    call = LIBRARY.call(product(BIAS, turned=TURNED, y="32x48xf16"))
    LIBRARY.check(call, memrefs(f16, f16, f16, f16))
    for types in ((bf16, f16, f16, f16), (f16, f16, f32, f16), (f16, f16, f16, f32)):
        with pytest.raises(CompileError, match="does not take buffer"):
            LIBRARY.check(call, memrefs(*types))
    LIBRARY.check(LIBRARY.call(product(turned=TURNED, **I8)), memrefs(i8, i8, i32))


def test_a_plan_has_the_call_beside_generated_kernels() -> None:
    asked = product()
    plain, plan = Planner(H200).plan(asked), Planner(H200, libraries=["cublaslt"]).plan(asked)
    assert isinstance(plain, Plan)
    assert isinstance(plan, Plan)
    calls = [each for each in plan.candidates if each.schedule.library]
    assert len(calls) == 1
    assert [each for each in plan.candidates if each not in calls] == list(plain.candidates)
    assert calls[0].text == plain.best.text[:-1] + ', library = "cublaslt">'


REAL = os.environ.get("DLC_CUBLASLT") or file_of_wheel(LIBRARY.place.wheel)


ATTRIBUTES = {
    "MatmulDesc": ((68, 0), {3: ctypes.c_int32, 4: ctypes.c_int32, 7: ctypes.c_int32}),
    "MatrixLayout": (
        (2, ctypes.c_uint64(64), ctypes.c_uint64(32), ctypes.c_int64(64)),
        {5: ctypes.c_int32, 6: ctypes.c_int64},
    ),
    "MatmulPreference": ((), {1: ctypes.c_uint64, **dict.fromkeys((5, 6, 7, 8), ctypes.c_uint32)}),
}
"""What makes each object of cuBLASLt, and the attributes that ``cublaslt.c`` sets."""


@pytest.fixture(scope="module")
def real() -> ctypes.CDLL:
    """The library itself, which needs no GPU to be opened."""
    if REAL is None:
        pytest.skip("needs cuBLASLt: pip install nvidia-cublas, or name its file as DLC_CUBLASLT")
    return ctypes.CDLL(str(REAL))


def test_cublaslt_itself_has_all_functions(real: ctypes.CDLL) -> None:
    names = [function.name for function in LIBRARY.functions]
    assert [name for name in names if not hasattr(real, name)] == []


@pytest.mark.parametrize("kind", ATTRIBUTES)
def test_cublaslt_itself_takes_our_attributes(kind: str, real: ctypes.CDLL) -> None:
    arguments, attributes = ATTRIBUTES[kind]
    made = ctypes.c_void_p()
    assert getattr(real, f"cublasLt{kind}Create")(ctypes.byref(made), *arguments) == 0
    for number, type in attributes.items():
        value = type(1)
        given = ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value))
        assert getattr(real, f"cublasLt{kind}SetAttribute")(made, number, *given) == 0
    assert getattr(real, f"cublasLt{kind}Destroy")(made) == 0


def test_all_algorithms_are_candidates_where_times_are_known() -> None:
    """The model cannot tell them apart: without measuring the library's first one is taken."""
    asked = product()
    for known, numbers in ((NOTHING, [0]), (Tuned(), list(range(LIBRARY.algorithms(asked))))):
        plan = Planner(H200, known, ["cublaslt"]).plan(asked)
        assert isinstance(plan, Plan)
        calls = [each.schedule for each in plan.candidates if each.schedule.library]
        assert [each.algorithm for each in calls] == numbers
