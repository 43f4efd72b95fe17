"""cuBLASLt on a GPU: products of matrices, with a bias and a relu behind them.

Sums of 16-bit floats, the bias and the relu are in ``f32``, as in our own kernels, and the result
is rounded once. What a number of products costs is in ``_cublaslt_price.py``, the C that calls the
library in ``cublaslt.c``. Enumerations are those of NVIDIA's "cuBLAS" manual, as numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, prod
from pathlib import Path

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from dlc.analysis.dataflow import Cluster
from dlc.arch import Arch, GpuArch
from dlc.dialects.graph.precision import Precision
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.ir.record import Value
from dlc.ir.tensor import element_type
from dlc.libraries._cublaslt_price import price_of, unit_of
from dlc.libraries._gemm import Gemm, Side
from dlc.libraries._library import Function, Library, Place, Price
from dlc.libraries._product import Product

_START_BYTES = 16
"""What the address of a buffer is a multiple of: a view may begin in the middle of a tensor."""

_ALGORITHMS = 8
"""As many are tried of a product."""

_WORKSPACE_BYTES = 32 << 20
"""What NVIDIA's "cuBLAS" manual recommends for Hopper ("cublasSetWorkspace"), and more than for
other chips. All calls have as much: which of them an algorithm needs it for only the library knows,
and the memory plan gives launches one after the other the same bytes.
"""


@dataclass(frozen=True)
class _Numbers:
    """The numbers of types: of factors and result (``cudaDataType``), of sums
    (``cublasComputeType_t``) and of the factor of the product. factor, given: the types in the IR.
    """

    factor: str
    given: str
    factors: int
    result: int
    compute: int
    scale: int


_NUMBERS = {
    "f16": _Numbers("f16", "f16", 2, 2, 68, 0),
    "bf16": _Numbers("bf16", "bf16", 14, 14, 68, 0),
    "f32": _Numbers("f32", "f32", 0, 0, 68, 0),
    "tf32": _Numbers("f32", "f32", 0, 0, 77, 0),  # CUBLAS_COMPUTE_32F_FAST_TF32
    "f64": _Numbers("f64", "f64", 1, 1, 70, 1),
    "i8": _Numbers("i8", "i32", 3, 10, 72, 10),
}
"""By what a call is of."""

_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "i32": 4}

_WITH_EPILOGUE = ("f16", "bf16", "f32", "tf32")

_RELU, _BIAS, _NEITHER = 2, 4, 1  # cublasLtEpilogue_t


def _type_of(product: Product) -> str:
    """Return what a product is of, or a text that ``_NUMBERS`` has not."""
    lhs, rhs = (str(element_type(x)) for x in product.op.operands[:2])
    given = product.op.precision
    if given is not None and given.data is Precision.tf32:
        return "tf32"
    return lhs if lhs == rhs else f"{lhs} and {rhs}"


def _obstacle(cluster: Cluster, chip: Arch | None) -> str | None:
    product = Product.of(cluster)
    if product is None:
        return "cuBLASLt computes products of matrices, with a bias and a relu behind them"
    type = _type_of(product)
    if type not in _NUMBERS:
        return f"cuBLASLt has no products of {type}"
    if not product.is_plain and type not in _WITH_EPILOGUE:
        return f"cuBLASLt has no bias and no relu behind products of {type}"
    if isinstance(chip, GpuArch) and unit_of(type, chip) is None:
        return f"{chip.name} has nothing that multiplies {type}"
    return product.obstacle() or (_obstacle_of_integers(product.gemm()) if type == "i8" else None)


def _obstacle_of_integers(gemm: Gemm) -> str | None:
    """Return why cuBLASLt does not multiply integers (its manual, "cublasLtMatmul()", on kernels of
    integers: pitches of 4 elements, the first factor transposed and the second one not).
    """
    if gemm.lhs.turned or not gemm.rhs.turned:
        return "cuBLASLt multiplies integers where both factors lie along the reduction"
    sizes = (gemm.result.columns, gemm.lhs.columns, *(x for s in gemm.sides for x in _distances(s)))
    if any(size % 4 for size in sizes):
        return "cuBLASLt multiplies integers whose rows are multiples of 4 elements"
    return None


def _distances(side: Side) -> tuple[int, int, int]:
    return side.start, side.step, side.pitch


def _price(cluster: Cluster, chip: Arch) -> Price:
    assert isinstance(chip, GpuArch)
    product = Product.expected(cluster)
    return price_of(cluster, product.gemm(), _type_of(product), chip)


def _call(cluster: Cluster) -> CallAttr:
    product = Product.expected(cluster)
    gemm = product.gemm()
    keys: dict[str, Value] = {
        "library": "cublaslt",
        "function": "cublasLtMatmul",
        "buffers": product.buffers(gemm, "cublaslt"),
        "count": 1,
        "workspace": _WORKSPACE_BYTES,
        "type": _type_of(product),
        "relu": product.has_relu,
    }
    return CallAttr((*keys.items(), *gemm.keys().items()))


def _numbers(call: CallAttr) -> _Numbers:
    """Return the numbers of the types of a call; raises CompileError for a wrong one."""
    if (type := call.get("type", "")) not in _NUMBERS:
        raise CompileError(f"library cublaslt computes products of {' or '.join(_NUMBERS)}")
    if call.function != "cublasLtMatmul":
        raise CompileError(f"library cublaslt computes by cublasLtMatmul, not by {call.function}")
    return _NUMBERS[type]


def _check(call: CallAttr, buffers: Sequence[MemRefType[Attribute]]) -> None:
    gemm, numbers = Gemm.read(call), _numbers(call)
    if call.count != 1 or len(buffers) not in (3, 4):
        raise CompileError("the call has 3 buffers, or 4 with a bias, and counts 1")
    if not 0 <= call.get("algorithm", 0) < _ALGORITHMS or call.workspace < 0:
        raise CompileError("the call names no algorithm of cuBLASLt, or no workspace")
    _epilogue(call)
    wanted = (numbers.factor, numbers.factor, numbers.given, numbers.given)
    ends = (*(side.end(gemm.products) for side in gemm.sides), gemm.result.columns)
    given = zip(call.buffers, buffers, wanted, ends, strict=False)
    for number, type, element, end in given:
        if str(type.element_type) != element:
            raise CompileError(f"cublasLtMatmul does not take buffer {number}, {type}")
        if end > prod(type.get_shape()):
            raise CompileError(f"the call leads out of buffer {number}, {type}")


def _epilogue(call: CallAttr) -> int:
    """Return the number of what comes after the product; raises CompileError where nothing may."""
    relu, bias = call.get("relu", False), len(call.buffers) > 3
    if (relu or bias) and call.get("type", "") not in _WITH_EPILOGUE:
        raise CompileError("cuBLASLt has no bias and no relu behind these products")
    return (_RELU * relu | _BIAS * bias) or _NEITHER


def _code(call: CallAttr) -> str:
    """Return a ``cublaslt_call``: the transposed product, since its matrices are column-major. A
    row of ours is a column of its, so that a factor which lies in rows here is not turned there.
    """
    gemm, numbers = Gemm.read(call), _numbers(call)
    factor, result = _BYTES[numbers.factor], _BYTES[numbers.given]
    a = _matrix(1, gemm.rhs, numbers.factors, factor)
    b = _matrix(0, gemm.lhs, numbers.factors, factor)
    d = _matrix(2, gemm.result, numbers.result, result)
    return _fields(
        compute=numbers.compute,
        scale=numbers.scale,
        epilogue=_epilogue(call),
        products=gemm.products,
        bias=3,
        workspace=f"{call.workspace}u",
        a=a,
        b=b,
        d=d,
    )


def _matrix(buffer: int, side: Side, type: int, bytes: int) -> str:
    """Return a ``cublaslt_matrix``."""
    rows, columns = (side.rows, side.columns) if side.turned else (side.columns, side.rows)
    start = side.start * bytes
    return _fields(
        buffer=buffer,
        alignment=gcd(_START_BYTES, start),
        type=type,
        turned=int(side.turned),
        rows=f"{rows}u",
        columns=f"{columns}u",
        start=f"{start}u",
        pitch=side.pitch,
        step=side.step,
    )


def _fields(**values: int | str) -> str:
    """Return an initialiser that names the members: their order in ``cublaslt.c`` is no matter."""
    return f"{{{', '.join(f'.{name} = {value}' for name, value in values.items())}}}"


_SET = "void *, int, const void *, size_t"
_FUNCTIONS = {
    "cublasLtCreate": "void **",
    "cublasLtDestroy": "void *",
    "cublasLtMatmulDescCreate": "void **, int, int",
    "cublasLtMatmulDescDestroy": "void *",
    "cublasLtMatmulDescSetAttribute": _SET,
    "cublasLtMatrixLayoutCreate": "void **, int, uint64_t, uint64_t, int64_t",
    "cublasLtMatrixLayoutDestroy": "void *",
    "cublasLtMatrixLayoutSetAttribute": _SET,
    "cublasLtMatmulPreferenceCreate": "void **",
    "cublasLtMatmulPreferenceDestroy": "void *",
    "cublasLtMatmulPreferenceSetAttribute": _SET,
    "cublasLtMatmulAlgoGetHeuristic": (
        "void *, void *, void *, void *, void *, void *, void *, int, struct cublaslt_answer *, "
        "int *"
    ),
    "cublasLtMatmul": (
        "void *, void *, const void *, const void *, void *, const void *, void *, const void *, "
        "const void *, void *, void *, void *, const struct cublaslt_algorithm *, void *, size_t, "
        "void *"
    ),
}
"""What is called, with pointers for handles; each gives a ``cublasStatus_t``."""

LIBRARY = Library(
    name="cublaslt",
    target="gpu",
    place=Place(
        files=("libcublasLt.so.13", "libcublasLt.so.12"),
        wheel="nvidia/cu13/lib/libcublasLt.so.13",
        is_kept=True,
    ),
    functions=(
        *(Function(name, "int", parameters) for name, parameters in _FUNCTIONS.items()),
        Function("cublasLtGetStatusString", "const char *", "int"),
    ),
    obstacle=_obstacle,
    price=_price,
    call=_call,
    check=_check,
    code=_code,
    result=2,
    algorithms=lambda _: _ALGORITHMS,
    text=(Path(__file__).parent / "cublaslt.c").read_text(),
)
