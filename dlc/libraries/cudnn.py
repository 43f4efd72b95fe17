"""cuDNN on a GPU, in floats of 16 and 32 bits: convolutions with what follows by elements, poolings
and functions of elements; in 16 bits also attention, and normalisations of rows.

Sums and all that follows are in ``f32``, as in our own kernels, and the result is rounded once.
What is known of each kind of them is a file of ``_cudnn``, with one of C beside it; ``cudnn.c``
prepares and runs graphs of all kinds. Enumerations are those of NVIDIA's "cuDNN backend API", as
numbers.
"""

from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from dlc.analysis.dataflow import Cluster
from dlc.analysis.traffic import traffic_bytes
from dlc.arch import Arch, GpuArch
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.ir.record import Value
from dlc.libraries._cublaslt_price import unit_of
from dlc.libraries._cudnn import KINDS, OPERATIONS
from dlc.libraries._cudnn.kind import Asked, Kind
from dlc.libraries._cudnn.text import text_of
from dlc.libraries._library import Function, Library, Ordered, Place, Price
from dlc.libraries._operation_graph import MOST_AXES, Operation, OperationGraph, Tensor
from dlc.libraries._operations import Operations

_LEAST_SCRATCH, _MOST_SCRATCH = 32 << 20, 2 << 30
"""In bytes; the least is what cuBLASLt has. Plans that want more are passed over."""

_SPECTRA = 16
"""Products of ``f32`` may have so many times the bytes of their tensors as scratch: a Fourier
transform of 3 x 3 filters in 16 x 16 tiles is 32 times as large as these, and they are one of
three tensors.
"""

_TYPES = {"f32": 0, "f16": 2, "bf16": 9}
"""``cudnnDataType_t``"""


def _operations(cluster: Cluster) -> Operations:
    """Return the operations of a cluster; raises CompileError with the reason for none."""
    if len(cluster.results) != 1:
        raise CompileError("cuDNN is given groups with one result")
    found = next(filter(None, (kind.operations(cluster) for kind in KINDS)), None)
    if found is None:
        *others, last = (kind.plural for kind in KINDS)
        raise CompileError(f"cuDNN computes {', '.join(others)} and {last}")
    graph = found.graph()
    OperationGraph.read(CallAttr(tuple(graph.keys().items())))  # what no call can say
    for operation in graph.operations:
        _check_fault(operation, graph)
    return found


def _check_fault(operation: Operation, graph: OperationGraph) -> None:
    """Raise CompileError for an operation that cuDNN computes wrongly."""
    tensors = [graph.tensors[n] for n in (*operation.inputs, operation.output)]
    if fault := _kind(operation).fault(operation, tensors):
        raise CompileError(fault)


def _kind(operation: Operation) -> Kind:
    return OPERATIONS[operation.name][0]


def _algorithms(graph: OperationGraph) -> int:
    return max(_kind(each).algorithms for each in graph.operations)


def _obstacle(cluster: Cluster, chip: Arch | None) -> str | None:
    try:
        found = _operations(cluster)
    except CompileError as error:
        return error.message
    type = _multiplied(found)
    if type and isinstance(chip, GpuArch) and unit_of(type, chip) is None:
        return f"{chip.name} has nothing that multiplies {type}"
    return None


def _multiplied(operations: Operations) -> str | None:
    """Return the type of factors of products, ``None`` where nothing is multiplied with weights."""
    if not _kind(operations.operations[0]).is_product:
        return None
    return "tf32" if operations.is_rounding else operations.tensors[0].element


def _ordered(cluster: Cluster) -> Sequence[Ordered]:
    return _operations(cluster).ordered()


def _price(cluster: Cluster, chip: Arch) -> Price:
    assert isinstance(chip, GpuArch)
    operations = _operations(cluster)
    graph, type = operations.graph(), _multiplied(operations) or ""
    return _kind(graph.operations[0]).price(Asked(graph, traffic_bytes(cluster), type, chip))


def _call(cluster: Cluster) -> CallAttr:
    operations = _operations(cluster)
    keys: dict[str, Value] = {
        "library": "cudnn",
        "function": "cudnnBackendExecute",
        "buffers": operations.buffers("cudnn"),
        "count": 1,
        "workspace": _scratch_bytes(cluster, operations),
        **({"rounds": "tf32"} if operations.is_rounding else {}),
    }
    return CallAttr((*keys.items(), *operations.graph().keys().items()))


def _scratch_bytes(cluster: Cluster, operations: Operations) -> int:
    if _multiplied(operations) != "f32":
        return _LEAST_SCRATCH
    return min(max(_LEAST_SCRATCH, _SPECTRA * traffic_bytes(cluster)), _MOST_SCRATCH)


def _check(call: CallAttr, buffers: Sequence[MemRefType[Attribute]]) -> None:
    graph = OperationGraph.read(call)
    graph.check(buffers)
    if call.function != "cudnnBackendExecute":
        raise CompileError(f"library cudnn computes by cudnnBackendExecute, not by {call.function}")
    if call.count != 1 or call.workspace < 0:
        raise CompileError("the call counts 1, and names a workspace")
    if call.get("rounds", "tf32") != "tf32":
        raise CompileError("cuDNN rounds factors of f32 to tf32, or not at all")
    if unknown := {each.element for each in graph.tensors} - set(_TYPES):
        raise CompileError(f"cuDNN has no tensors of {' and '.join(sorted(unknown))} here")
    for operation in graph.operations:
        _check_operation(operation, graph)
    graph.check_filled(buffers)
    if not 0 <= call.get("algorithm", 0) < _algorithms(graph):
        raise CompileError("the call names no algorithm of cuDNN")


def _check_operation(operation: Operation, graph: OperationGraph) -> None:
    name = operation.name
    if name not in OPERATIONS:
        raise CompileError(f"cuDNN has no operation {name} here")
    kind, member = OPERATIONS[name]
    if len(operation.inputs) not in member.inputs:
        counts = " or ".join(map(str, member.inputs))
        raise CompileError(f"{name} of cuDNN has {counts} inputs")
    inputs, result = [graph.tensors[n] for n in operation.inputs], graph.tensors[operation.output]
    lists = dict.fromkeys(kind.lists, len(result.sizes) - 2)
    if {name: len(each) for name, each in operation.numbers} != lists:
        raise CompileError(f"{name} of cuDNN has lists of {lists}, as many as axes")
    if not kind.fits(inputs, result, operation):
        raise CompileError(f"{name} of cuDNN does not fit the sizes of its tensors")
    _check_fault(operation, graph)


def _code(call: CallAttr) -> str:
    """Return a ``cudnn_call``."""
    graph = OperationGraph.read(call)
    tensors = ", ".join(map(_tensor, graph.tensors))
    operations = ", ".join(map(_operation, graph.operations))
    fields = (
        f".workspace = {call.workspace}u",
        *([".is_full = 1"] if _is_full(graph, call) else []),
        f".tensor_count = {len(graph.tensors)}",
        f".operation_count = {len(graph.operations)}",
        f".tensors = (const cudnn_tensor[]){{{tensors}}}",
        f".operations = (const cudnn_operation[]){{{operations}}}",
    )
    return f"{{{', '.join(fields)}}}"


def _is_full(graph: OperationGraph, call: CallAttr) -> bool:
    """Return whether products of ``f32`` are those of all bits of their factors."""
    products = [each for each in graph.operations if _kind(each).is_product]
    in_f32 = any(graph.tensors[each.inputs[0]].element == "f32" for each in products)
    return in_f32 and "rounds" not in call


def _tensor(tensor: Tensor) -> str:
    """Return a ``cudnn_tensor``."""
    place = "CUDNN_BETWEEN"
    if tensor.buffer is not None:
        place = f"CUDNN_IN_BUFFER, .buffer = {tensor.buffer}"
    if tensor.number is not None:
        place = f"CUDNN_NUMBER, .number = {float(tensor.number).hex()}"
    return (
        f"{{.place = {place}, .type = {_TYPES[tensor.element]}, .rank = {len(tensor.sizes)}, "
        f".sizes = {_list(tensor.sizes)}, .strides = {_list(tensor.strides)}}}"
    )


def _operation(operation: Operation) -> str:
    """Return a ``cudnn_operation``."""
    kind, member = OPERATIONS[operation.name]
    fields = [
        f".kind = CUDNN_{kind.name.upper()}",
        f".mode = {member.mode}",
        f".input_count = {len(operation.inputs)}",
        f".inputs = {_list(operation.inputs)}",
        f".output = {operation.output}",
        *(f".{name} = {_list(each)}" for name, each in operation.numbers),
    ]
    if operation.numbers:
        fields.append(f".axes = {len(operation.numbers[0][1])}")
    return f"{{{', '.join(fields)}}}"


def _list(numbers: Sequence[int]) -> str:
    assert len(numbers) <= MOST_AXES
    return f"{{{', '.join(map(str, numbers))}}}"


_FUNCTIONS = {
    "cudnnCreate": "void **",
    "cudnnDestroy": "void *",
    "cudnnSetStream": "void *, void *",
    "cudnnBackendCreateDescriptor": "int, void **",
    "cudnnBackendDestroyDescriptor": "void *",
    "cudnnBackendFinalize": "void *",
    "cudnnBackendSetAttribute": "void *, int, int, int64_t, const void *",
    "cudnnBackendGetAttribute": "void *, int, int, int64_t, int64_t *, void *",
    "cudnnBackendExecute": "void *, void *, void *",
}
"""What is called, with pointers for handles and descriptors; each gives a ``cudnnStatus_t``."""

LIBRARY = Library(
    name="cudnn",
    target="gpu",
    place=Place(files=("libcudnn.so.9",), wheel="nvidia/cudnn/lib/libcudnn.so.9", is_kept=True),
    functions=(
        *(Function(name, "int", parameters) for name, parameters in _FUNCTIONS.items()),
        Function("cudnnGetErrorString", "const char *", "int"),
    ),
    obstacle=_obstacle,
    price=_price,
    call=_call,
    ordered=_ordered,
    check=_check,
    code=_code,
    algorithms=lambda cluster: _algorithms(_operations(cluster).graph()),
    text=text_of(KINDS, Path(__file__).with_suffix(".c")),
)
