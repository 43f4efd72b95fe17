"""OpenBLAS on a CPU: products of matrices of ``f32`` and ``f64``.

The products alone: what a group computes before or after one goes through our own kernels. Threads
share the rows or the columns of a product, or several products; each calls the library for its
part, which takes one thread then. OpenBLAS has its number of threads for a whole process, so a
model opens a copy of the file.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import traffic_bytes
from dlc.arch import Arch, CpuArch
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.ir.record import Value
from dlc.ir.tensor import element_bytes, element_type
from dlc.libraries._gemm import Gemm
from dlc.libraries._library import Function, Library, Place, Price
from dlc.libraries._product import Product
from dlc.model.upper_bound import cpu_bound

_ELEMENTS = {"f32": ("cblas_sgemm", "float"), "f64": ("cblas_dgemm", "double")}
"""The function for a type, and what C calls the type."""

_EFFICIENCY = 0.9
"""The part of the peak that the inner loop reaches: 512 x 768 x 3072 on two cores of an EPYC
("Milan"), OpenBLAS 0.3.34, beside our own kernels in the same run, whose best reach 0.93.
"""

_PACKED_CLOCKS = 1.0
"""The clocks of a core for each element of a factor that it copies before it multiplies: what
64 x 768 x 768 took longer there.
"""

_ERROR = 0.07
"""Root of the mean square over the eight products of docs/performance.md, "CPU: products by
OpenBLAS", on two cores: our own estimate over the ratio that was measured is the time of OpenBLAS.
"""

_FITTED, _UNFITTED_ERROR = 16, 30.0
"""Results of fewer rows or columns were not among them: 1 x 1024 x 1 took 31 times its price."""


def _obstacle(cluster: Cluster) -> str | None:
    product = Product.of(cluster)
    if product is None or not product.is_plain:
        return "OpenBLAS computes products of matrices alone"
    types = sorted({str(element_type(x)) for x in (*product.read, *product.op.results)})
    if len(types) > 1 or types[0] not in _ELEMENTS:
        return f"OpenBLAS computes products of f32 or of f64, these are of {' and '.join(types)}"
    return product.obstacle()


def _price(cluster: Cluster, chip: Arch) -> Price:
    """Each thread copies its part of one factor and all of the other one, then multiplies."""
    assert isinstance(chip, CpuArch)
    gemm = Product.expected(cluster).gemm()
    bytes_each = element_bytes(element_type(cluster.results[0]))
    cores = min(chip.cores, gemm.count)
    m, n, k = gemm.result.rows, gemm.result.columns, gemm.lhs.columns
    flops = 2.0 * gemm.products * m * n * k
    bound = cpu_bound(flops, traffic_bytes(cluster), bytes_each, cores, chip)
    if gemm.products > 1:
        copied = gemm.products * (m + n) * k / cores
    else:
        copied = (max(m, n) / cores + min(m, n)) * k
    rate = _EFFICIENCY * chip.flops_per_s(bytes_each) * cores / chip.cores
    begin_us = chip.costs.launch_us + (chip.parallel_region_us if cores > 1 else 0.0)
    packing_s = copied * _PACKED_CLOCKS / chip.clock_hz
    error = _ERROR if min(m, n) >= _FITTED else _UNFITTED_ERROR
    return Price(bound, 1e-6 * begin_us + flops / rate + packing_s, error)


def _call(cluster: Cluster) -> CallAttr:
    product = Product.expected(cluster)
    gemm = product.gemm()
    keys: dict[str, Value] = {
        "library": "openblas",
        "function": _ELEMENTS[str(element_type(product.op.results[0]))][0],
        "buffers": product.buffers(gemm, "openblas"),
        "count": gemm.count,
    }
    return CallAttr((*keys.items(), *gemm.keys().items()))


def _check(call: CallAttr, buffers: Sequence[MemRefType[Attribute]]) -> None:
    gemm, known = Gemm.read(call), {name: each for each, (name, _) in _ELEMENTS.items()}
    if call.function not in known:
        raise CompileError(
            f"library openblas computes by {' or '.join(known)}, not by {call.function}"
        )
    if call.count != gemm.count or len(buffers) != len(gemm.sides):
        raise CompileError(f"the call has {len(gemm.sides)} buffers and counts {gemm.count}")
    for number, side, type in zip(call.buffers, gemm.sides, buffers, strict=True):
        if str(type.element_type) != known[call.function]:
            raise CompileError(f"{call.function} does not take buffer {number}, {type}")
        if side.end(gemm.products) > prod(type.get_shape()):
            raise CompileError(f"the call leads out of buffer {number}, {type}")


def _code(call: CallAttr) -> str:
    return Gemm.read(call).code(call.function, dict(_ELEMENTS.values())[call.function])


def _function(name: str, element: str) -> Function:
    factor = f"const {element} *, int"
    sizes = f"int, int, int, int, int, int, {element}"
    return Function(name, "void", f"{sizes}, {factor}, {factor}, {element}, {element} *, int")


LIBRARY = Library(
    name="openblas",
    target="cpu",
    place=Place(
        files=("libopenblas.so.0", "libopenblas.so"),
        wheel="scipy_openblas32/lib/libscipy_openblas.so",
        prefixes=("", "scipy_"),
        is_copied=True,
    ),
    functions=(
        *(_function(*each) for each in _ELEMENTS.values()),
        Function("openblas_set_num_threads", "void", "int"),
    ),
    obstacle=lambda cluster, _: _obstacle(cluster),
    price=_price,
    call=_call,
    check=_check,
    code=_code,
    result=2,
    begin="openblas_set_num_threads(1);",
)
