"""cuDNN on a GPU, in 16-bit floats: convolutions with what follows by elements, attention, and
normalisations of rows.

Sums and all that follows are in ``f32``, as in our own kernels, and the result is rounded once.
What they cost is in ``_cudnn_price.py``, the C that calls the library in ``cudnn.c``. Enumerations
are those of NVIDIA's "cuDNN backend API", as numbers.
"""

from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from dlc.analysis.dataflow import Cluster
from dlc.arch import Arch, GpuArch
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.ir.record import Value
from dlc.libraries._attention import attention
from dlc.libraries._convolution import convolution
from dlc.libraries._cublaslt_price import unit_of
from dlc.libraries._cudnn_price import price_of
from dlc.libraries._library import Function, Library, Place, Price
from dlc.libraries._normalization import normalization
from dlc.libraries._operation_graph import MOST_AXES, Operation, OperationGraph, Tensor
from dlc.libraries._operation_sizes import WINDOW, fits
from dlc.libraries._operations import Operations

_WORKSPACE_BYTES = 32 << 20
"""As much as cuBLASLt has. Plans that want more are passed over."""

_TYPES = {"f32": 0, "f16": 2, "bf16": 9}
"""``cudnnDataType_t``"""

_POINTWISE = {
    "add": 0,
    "mul": 1,
    "sub": 9,
    "relu": 100,
    "tanh": 101,
    "sigmoid": 102,
    "gelu": 104,
    "gelu_tanh": 107,
}
"""``cudnnPointwiseMode_t``"""

_NORMALIZATIONS = {"layer_norm": 0, "rms_norm": 4}
"""``cudnnBackendNormMode_t``"""

_BINARY = ("add", "mul", "sub")


def _operations(cluster: Cluster) -> Operations:
    """Return the operations of a cluster; raises CompileError with the reason for none."""
    first, *rest = cluster.ops
    if len(cluster.results) != 1:
        raise CompileError("cuDNN is given groups with one result")
    if isinstance(first, ConvOp):
        found = convolution(first, rest, cluster)
    else:
        found = normalization(cluster) or attention(cluster)
    keys = tuple(found.graph().keys().items())
    OperationGraph.read(CallAttr(keys))  # what no call can say is not computed
    return found


def _obstacle(cluster: Cluster, chip: Arch | None) -> str | None:
    try:
        found = _operations(cluster)
    except CompileError as error:
        return error.message
    type = found.tensors[0].element
    if isinstance(chip, GpuArch) and unit_of(type, chip) is None:
        return f"{chip.name} has nothing that multiplies {type}"
    return None


def _price(cluster: Cluster, chip: Arch) -> Price:
    assert isinstance(chip, GpuArch)
    return price_of(cluster, _operations(cluster).graph(), chip)


def _call(cluster: Cluster) -> CallAttr:
    operations = _operations(cluster)
    keys: dict[str, Value] = {
        "library": "cudnn",
        "function": "cudnnBackendExecute",
        "buffers": operations.buffers("cudnn"),
        "count": 1,
        "workspace": _WORKSPACE_BYTES,
    }
    return CallAttr((*keys.items(), *operations.graph().keys().items()))


def _check(call: CallAttr, buffers: Sequence[MemRefType[Attribute]]) -> None:
    graph = OperationGraph.read(call)
    graph.check(buffers)
    if call.function != "cudnnBackendExecute":
        raise CompileError(f"library cudnn computes by cudnnBackendExecute, not by {call.function}")
    if call.count != 1 or call.workspace < 0:
        raise CompileError("the call counts 1, and names a workspace")
    if not 0 <= call.get("algorithm", 0) < LIBRARY.algorithms:
        raise CompileError("the call names no algorithm of cuDNN")
    if unknown := {each.element for each in graph.tensors} - set(_TYPES):
        raise CompileError(f"cuDNN has no tensors of {' and '.join(sorted(unknown))} here")
    for operation in graph.operations:
        _check_operation(operation, graph)
    graph.check_filled(buffers)


def _check_operation(operation: Operation, graph: OperationGraph) -> None:
    rank = len(graph.tensors[operation.output].sizes)
    lists = dict.fromkeys(WINDOW, rank - 2) if operation.name == "convolution" else {}
    if len(operation.inputs) not in (wanted := _input_counts(operation.name)):
        counts = " or ".join(map(str, wanted))
        raise CompileError(f"{operation.name} of cuDNN has {counts} inputs")
    if {name: len(each) for name, each in operation.numbers} != lists:
        raise CompileError(f"{operation.name} of cuDNN has lists of {lists}, as many as axes")
    if not fits(operation, graph):
        raise CompileError(f"{operation.name} of cuDNN does not fit the sizes of its tensors")


def _input_counts(name: str) -> tuple[int, ...]:
    """Return how many inputs an operation may have; raises CompileError for an unknown one."""
    if name in _NORMALIZATIONS:
        return (3, 4)
    if name in _POINTWISE:
        return (1 + (name in _BINARY),)
    if name in (others := {"convolution": 2, "attention": 4}):
        return (others[name],)
    raise CompileError(f"cuDNN has no operation {name} here")


def _code(call: CallAttr) -> str:
    """Return a ``cudnn_call``."""
    graph = OperationGraph.read(call)
    tensors = ", ".join(map(_tensor, graph.tensors))
    operations = ", ".join(map(_operation, graph.operations))
    fields = (
        f".algorithm = {call.get('algorithm', 0)}",
        f".workspace = {call.workspace}u",
        f".tensor_count = {len(graph.tensors)}",
        f".operation_count = {len(graph.operations)}",
        f".tensors = (const cudnn_tensor[]){{{tensors}}}",
        f".operations = (const cudnn_operation[]){{{operations}}}",
    )
    return f"{{{', '.join(fields)}}}"


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
    kinds = {"convolution": "CUDNN_CONVOLUTION", "attention": "CUDNN_ATTENTION"}
    kinds |= dict.fromkeys(_NORMALIZATIONS, "CUDNN_NORMALIZATION")
    fields = [
        f".kind = {kinds.get(operation.name, 'CUDNN_POINTWISE')}",
        f".mode = {(_POINTWISE | _NORMALIZATIONS).get(operation.name, 0)}",
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
    check=_check,
    code=_code,
    algorithms=8,
    text=(Path(__file__).parent / "cudnn.c").read_text(),
)
