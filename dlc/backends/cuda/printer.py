"""``gpu`` kernels as CUDA C++ text for NVRTC, without a single header."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    Float64Type,
    ModuleOp,
    f32,
    i64,
)
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.utils.target import Target

from dlc.analysis.exchanged import given_to_others
from dlc.analysis.map_parameters import mapped_buffers
from dlc.analysis.owner import exchanged_buffers
from dlc.arch.scope import Scope
from dlc.backends._c_like import STATEMENTS, CLikePrinter, Statement, function_name
from dlc.backends._c_scalar import TEMPLATES, storage_type
from dlc.backends.cuda import warpgroup_products
from dlc.backends.cuda.matrix_moves import matrix_move_name
from dlc.backends.cuda.prelude import prelude_for
from dlc.backends.cuda.products import product_name
from dlc.backends.cuda.remote_accesses import remote_access_name
from dlc.backends.cuda.tensor_copies import (
    TENSOR_MAP,
    prefetch_name,
    tensor_copy_name,
    tensor_store_name,
)
from dlc.core.affine import Ranges, linear_index, split_at
from dlc.dialects import gpu
from dlc.dialects.gpu.kernel import kernel_of
from dlc.dialects.gpu.registers import registers_at_launch
from dlc.dialects.loop.scalar import is_near
from dlc.errors import CompileError
from dlc.ir.access import Access
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes

SHARED_MEMORY = "shared_memory"
"""The name of a block's dynamic shared memory."""
SHARED_ALIGNMENT = 1024
"""Its alignment in bytes: what the widest swizzle needs."""

_VECTORS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "uint2", 16: "uint4"}
"""A type of each size that one instruction moves."""


_QUOTIENTS = {
    frozenset([FastMathFlag.ALLOW_RECIP]): "{0} * reciprocal_f32({1})",
    frozenset([FastMathFlag.APPROX_FUNC]): "quotient_f32({0}, {1})",
    frozenset(
        [FastMathFlag.ALLOW_RECIP, FastMathFlag.APPROX_FUNC]
    ): "{0} * short_reciprocal_f32({1})",
}
"""By what they may be off."""
_NEAR: dict[type[Operation], str] = {
    math.ExpOp: "exponential_f32({0})",
    math.Exp2Op: "power_of_two_f32({0})",
}


class CudaPrinter(CLikePrinter):
    """Prints ``gpu`` kernels; ``text`` gives the whole translation unit."""

    TEMPLATES: ClassVar[dict[type[Operation], str]] = {
        **TEMPLATES,
        arith.MaximumfOp: "maximum_f{bits}({0}, {1})",
        arith.MinimumfOp: "minimum_f{bits}({0}, {1})",
        math.RsqrtOp: "rsqrt{f}({0})",
        gpu.CvtTf32Op: "round_tf32({0})",
    }

    PREFIX: ClassVar = ""
    STATEMENTS: ClassVar[Mapping[type[Operation], Statement]]

    maps: Mapping[tuple[SSAValue, gpu.TensorMapAttr], str]
    """The names of the tensor maps of the kernel that is printed."""

    def template(self, op: Operation) -> str | None:
        match op:
            case arith.DivfOp() if op.result.type == f32:  # an exact one has branches
                if function := _QUOTIENTS.get(frozenset(op.fastmath.data)):
                    return function
            case math.ExpOp() | math.Exp2Op() if op.result.type == f32 and is_near(op):
                return _NEAR[type(op)]
            case _:
                pass
        return super().template(op)

    def nonfinite(self, value: float, type: Attribute) -> str:
        sign = "-" if value < 0 else ""
        if isinstance(type, Float64Type):
            bits = "7ff8000000000000" if value != value else "7ff0000000000000"
            return f"({sign}__longlong_as_double(0x{bits}LL))"
        return f"({sign}__int_as_float(0x{'7fc00000' if value != value else '7f800000'}))"

    def element(self, access: Access) -> str:
        swizzle = _swizzle_of(access.buffer)
        if swizzle is None:
            return super().element(access)
        element, place = access.type.element_type, self._swizzled(access, swizzle)
        return f"*({storage_type(element)}*)((unsigned char*){self.names[access.buffer]} + {place})"

    def _swizzled(self, access: Access, swizzle: gpu.SwizzleAttr) -> str:
        """Return the offset of an access in bytes. A swizzle leaves multiples of its period alone:
        what is one stands outside, where the compiler makes a constant of a load out of it.
        """
        bytes, texts = element_bytes(access.type.element_type), self.index_text(access.operands)
        offset = linear_index(access.map.results, access.type.get_shape())
        outside, inside = split_at(offset, swizzle.period_bytes // bytes, Ranges(texts.ranges))
        arguments = ", ".join(map(str, swizzle.data))
        place = f"swizzle<{arguments}>(({texts.text(inside)}) * {bytes})"
        return (
            place
            if outside == AffineExpr.constant(0)
            else f"{place} + ({texts.text(outside)}) * {bytes}"
        )

    def coordinates(self, access: Access) -> str:
        """Return the coordinates of a box, and its offsets, as arguments."""
        indices = self.index_text(access.operands)
        return ", ".join(indices.text(expr) for expr in access.map.results)

    def address(self, access: Access) -> str:
        """Return the address of the first element of an access."""
        place = self.element(access)
        return place[1:] if place.startswith("*") else f"&{place}"

    def kernel(self, op: gpu.KernelOp) -> None:
        """Print one kernel.

        The emulator finds its head by the form that it has here: the bounds, the cluster, the name
        (``dlc/emulator/translation.py``).
        """
        late = _late_reads(op) | {*op.filled_buffers} | given_to_others(op)  # others write there
        buffers = [self._parameter(op, argument, late) for argument in op.body.block.args]
        self.maps = {mapped: self.fresh("m") for mapped in mapped_buffers(op)}
        maps = [f"const __grid_constant__ {TENSOR_MAP} {name}" for name in self.maps.values()]
        parameters = ", ".join([*buffers, *maps])
        name = function_name(op.sym_name.data)
        # The two exclude each other: CUDA C++ Programming Guide, "Maximum Number of Registers".
        bounds = f"__launch_bounds__({op.threads})"
        if op.resident_blocks is not None:
            bounds = f"__launch_bounds__({op.threads}, {op.resident_blocks.value.data})"
        if op.max_registers is not None:
            bounds = f"__maxnreg__({op.max_registers.value.data})"
        if op.cluster is not None:
            bounds += f" __cluster_dims__({', '.join(map(str, op.cluster_size))})"
        head = f'extern "C" __global__ void {bounds} {name}({parameters})'
        with self.braces(head):
            if op.shared_bytes is not None and op.shared_bytes.value.data:
                self.line(
                    f"extern __shared__ __align__({SHARED_ALIGNMENT}) unsigned char "
                    f"{SHARED_MEMORY}[];"
                )
            self.block(op.body.block)

    def _parameter(self, op: gpu.KernelOp, argument: BlockArgument, late: set[SSAValue]) -> str:
        self.names[argument] = self.fresh("b")
        constant = "const " if argument in op.input_buffers else ""
        element = storage_type(buffer_type(argument).element_type)
        restrict = "" if argument in late else "__restrict__ "
        return f"{constant}{element}* {restrict}{self.names[argument]}"


def _late_reads(op: gpu.KernelOp) -> set[SSAValue]:
    """Return the buffers that a kernel reads, and not before it has waited for earlier launches.

    The text promises nothing of them. A compiler takes what only ``const ... __restrict__`` leads
    to for constant while the kernel runs, and reads it before the wait (seen of NVRTC 13.5:
    ``ld.global.nc``). What the kernel writes, too, it may read before an instruction of which it
    knows that the pointer does not reach it. What is only written keeps ``__restrict__``: no store
    moves up.
    """
    if op.constant_inputs is None:
        return set()
    return {*op.input_buffers, *exchanged_buffers(op)} - {*op.early_buffers}


def _swizzle_of(buffer: SSAValue) -> gpu.SwizzleAttr | None:
    owner = buffer.owner
    return owner.swizzle if isinstance(owner, gpu.SharedAllocOp) else None


def _thread_id(p: CudaPrinter, op: gpu.ThreadIdOp) -> None:
    p.define(op.output, f"(int)threadIdx.{op.dimension.data}")


def _block_id(p: CudaPrinter, op: gpu.BlockIdOp) -> None:
    p.define(op.output, f"(int)blockIdx.{op.dimension.data}")


def _shared_alloc(p: CudaPrinter, op: gpu.SharedAllocOp) -> None:
    if op.offset is None:
        raise CompileError("a shared buffer has no offset; run gpu-allocate-shared first")
    element = storage_type(buffer_type(op.output).element_type)
    name = p.names[op.output] = p.fresh("s")
    p.line(f"{element}* const {name} = ({element}*)({SHARED_MEMORY} + {op.offset.value.data});")


def _register_alloc(p: CudaPrinter, op: gpu.RegisterAllocOp) -> None:
    type = buffer_type(op.output)
    name = p.names[op.output] = p.fresh("r")
    p.line(f"__align__(16) {storage_type(type.element_type)} {name}[{prod(type.get_shape())}];")


def _counter_alloc(p: CudaPrinter, op: gpu.CounterAllocOp) -> None:
    type = buffer_type(op.output)
    name = p.names[op.output] = p.fresh("c")
    p.line(f"static __device__ {storage_type(type.element_type)} {name}[{prod(type.get_shape())}];")


def _copy(p: CudaPrinter, op: gpu.CopyOp) -> None:
    source, destination = op.accesses()
    vector = _VECTORS[op.bytes]
    p.line(f"*({vector}*){p.address(destination)} = *(const {vector}*){p.address(source)};")


def _cp_async(p: CudaPrinter, op: gpu.CpAsyncOp) -> None:
    source, destination = map(p.address, op.accesses())
    inside = "true" if op.inside is None else p.names[op.inside]
    p.line(f"cp_async_{op.bytes.value.data}({destination}, {source}, {inside});")


def _matrix_move(p: CudaPrinter, op: gpu.MatrixMoveOp) -> None:
    source, destination = map(p.address, op.accesses())
    p.line(f"{matrix_move_name(op)}({destination}, {source});")


def _remote(p: CudaPrinter, op: gpu.ClusterLoadOp | gpu.ClusterStoreOp) -> None:
    source, destination = map(p.address, op.accesses())
    p.line(f"{remote_access_name(op)}({destination}, {source}, {p.names[op.rank]});")


def _mma(p: CudaPrinter, op: gpu.MmaOp) -> None:
    places = ", ".join(map(p.address, op.accesses()))
    p.line(f"{product_name(op.instruction)}({places});")


_SHUFFLES = {"xor": "_xor", "up": "_up", "down": "_down", "index": ""}


def _shuffle(p: CudaPrinter, op: gpu.ShuffleOp) -> None:
    mode = _SHUFFLES[op.mode.data]
    value, offset = p.names[op.value], op.offset.value.data
    p.define(op.output, f"__shfl{mode}_sync(0xffffffffu, {value}, {offset})")


def _atomic_add(p: CudaPrinter, op: gpu.AtomicAddOp) -> None:
    (access,) = op.accesses()
    place, value = p.address(access), p.names[op.value]
    if access.type.element_type == i64:  # there is only an unsigned one; the bits are the same
        unsigned = "unsigned long long"
        place, value = f"({unsigned}*){place}", f"({unsigned}){value}"
    p.define(op.output, f"atomicAdd({place}, {value})")


def _bulk_copy(p: CudaPrinter, op: gpu.BulkCopyOp) -> None:
    source, destination, barrier = map(p.address, op.accesses())
    p.line(f"bulk_copy<{op.bytes}>({destination}, {source}, {barrier});")


def _st_async(p: CudaPrinter, op: gpu.StAsyncOp) -> None:
    source, destination, barrier = map(p.address, op.accesses())
    p.line(f"st_async_{op.bytes}({destination}, {source}, {barrier}, {p.names[op.rank]});")


def _publish(p: CudaPrinter, op: gpu.PublishOp) -> None:
    source, destination = map(p.address, op.accesses())
    p.line(f"publish_{op.bytes}({destination}, {source});")


def _await(p: CudaPrinter, op: gpu.AwaitOp) -> None:
    source, *_, destination = map(p.address, op.accesses())
    pieces = f"{op.piece_count}, {op.stride_bytes}"
    p.line(f"await_{op.bytes}<{pieces}>({destination}, {source});")


def _grid_barrier(p: CudaPrinter, op: gpu.GridBarrierOp) -> None:
    (access,) = op.accesses()
    p.line(f"grid_barrier<{op.last_arrival}>({p.address(access)});")


def _tensor_copy(p: CudaPrinter, op: gpu.TensorCopyOp) -> None:
    source, destination, barrier = op.accesses()
    places = f"{p.address(destination)}, &{p.maps[op.mapped]}, {p.coordinates(source)}"
    blocks = "" if op.blocks is None else f", {p.names[op.blocks]}"
    name = tensor_copy_name(op.tensor_map, multicast=op.blocks is not None)
    p.line(f"{name}({places}, {p.address(barrier)}{blocks});")


def _tensor_store(p: CudaPrinter, op: gpu.TensorStoreOp) -> None:
    source, destination = op.accesses()
    places = f"&{p.maps[op.mapped]}, {p.coordinates(destination)}, {p.address(source)}"
    p.line(f"{tensor_store_name(op.tensor_map)}({places});")


def _bulk_wait(p: CudaPrinter, op: gpu.BulkWaitOp) -> None:
    p.line(f"bulk_wait{'_read' if op.read else ''}<{op.outstanding.value.data}>();")


def _prefetch_tensor_map(p: CudaPrinter, op: gpu.PrefetchTensorMapOp) -> None:
    p.line(f"prefetch_tensor_map(&{p.maps[op.mapped]});")


def _prefetch_tensor(p: CudaPrinter, op: gpu.PrefetchTensorOp) -> None:
    (source,) = op.accesses()
    p.line(f"{prefetch_name(op.map.map)}(&{p.maps[op.mapped]}, {p.coordinates(source)});")


def _mbarrier_init(p: CudaPrinter, op: gpu.MbarrierInitOp) -> None:
    (access,) = op.accesses()
    p.line(f"mbarrier_init<{op.arrivals.value.data}>({p.address(access)});")


def _mbarrier_arrive(p: CudaPrinter, op: gpu.MbarrierArriveOp) -> None:
    (access,) = op.accesses()
    if op.rank is not None:
        p.line(f"mbarrier_arrive_remote({p.address(access)}, {p.names[op.rank]});")
        return
    expecting = "" if op.bytes is None else f"_expect<{op.expected_bytes}>"
    p.line(f"mbarrier_arrive{expecting}({p.address(access)});")


def _mbarrier_wait(p: CudaPrinter, op: gpu.MbarrierWaitOp) -> None:
    (access,) = op.accesses()
    of_cluster = "_of_cluster" if op.acquires.scope is Scope.CLUSTER else ""
    p.line(f"mbarrier_wait{of_cluster}({p.address(access)}, {p.names[op.parity]});")


def _cp_async_arrive(p: CudaPrinter, op: gpu.CpAsyncArriveOp) -> None:
    (access,) = op.accesses()
    p.line(f"cp_async_arrive({p.address(access)});")


def _set_registers(p: CudaPrinter, op: gpu.SetRegistersOp) -> None:
    count = op.count.value.data
    way = "more" if count > registers_at_launch(kernel_of(op).threads) else "fewer"
    p.line(f"{way}_registers<{count}>();")


def _named_barrier(function: str) -> Statement:
    def say(p: CudaPrinter, op: gpu.NamedBarrierOp) -> None:
        p.line(f"{function}<{op.threads.value.data}>({p.names[op.number]});")

    return say


def _says(text: str) -> Statement:
    """Return the statement that always prints one line."""
    return lambda p, op: p.line(text)


CudaPrinter.STATEMENTS = {
    **STATEMENTS,
    **warpgroup_products.STATEMENTS,
    gpu.AsyncFenceOp: _says("async_fence();"),
    gpu.ThreadIdOp: _thread_id,
    gpu.BlockIdOp: _block_id,
    gpu.SharedAllocOp: _shared_alloc,
    gpu.RegisterAllocOp: _register_alloc,
    gpu.CounterAllocOp: _counter_alloc,
    gpu.CopyOp: _copy,
    gpu.CpAsyncOp: _cp_async,
    gpu.CpAsyncCommitOp: _says("cp_async_commit();"),
    gpu.CpAsyncWaitOp: lambda p, op: p.line(f"cp_async_wait<{op.outstanding.value.data}>();"),
    gpu.ClusterRankOp: lambda p, op: p.define(op.output, "cluster_rank()"),
    gpu.ClusterBarrierOp: _says("cluster_barrier();"),
    gpu.ClusterArriveOp: _says("cluster_arrive();"),
    gpu.ClusterWaitOp: _says("cluster_wait();"),
    gpu.ClusterLoadOp: _remote,
    gpu.ClusterStoreOp: _remote,
    gpu.StAsyncOp: _st_async,
    gpu.PublishOp: _publish,
    gpu.AwaitOp: _await,
    gpu.GridBarrierOp: _grid_barrier,
    gpu.LdmatrixOp: _matrix_move,
    gpu.StmatrixOp: _matrix_move,
    gpu.MmaOp: _mma,
    gpu.ShuffleOp: _shuffle,
    gpu.AtomicAddOp: _atomic_add,
    gpu.BarrierOp: _says("__syncthreads();"),
    gpu.WarpBarrierOp: _says("__syncwarp();"),
    gpu.FenceOp: _says("__threadfence();"),
    gpu.BarSyncOp: _named_barrier("bar_sync"),
    gpu.BarArriveOp: _named_barrier("bar_arrive"),
    gpu.BulkCopyOp: _bulk_copy,
    gpu.TensorCopyOp: _tensor_copy,
    gpu.TensorStoreOp: _tensor_store,
    gpu.BulkCommitOp: _says("bulk_commit();"),
    gpu.BulkWaitOp: _bulk_wait,
    gpu.PrefetchTensorMapOp: _prefetch_tensor_map,
    gpu.PrefetchTensorOp: _prefetch_tensor,
    gpu.MbarrierInitOp: _mbarrier_init,
    gpu.MbarrierArriveOp: _mbarrier_arrive,
    gpu.MbarrierWaitOp: _mbarrier_wait,
    gpu.CpAsyncArriveOp: _cp_async_arrive,
    gpu.SetRegistersOp: _set_registers,
    gpu.GriddepcontrolWaitOp: _says("wait_for_launches();"),
    gpu.GriddepcontrolLaunchDependentsOp: _says("launch_dependents();"),
    gpu.EndOp: lambda p, op: None,
}


def cuda_text(kernels: Sequence[gpu.KernelOp]) -> str:
    """Return one translation unit of the kernels; each is ``extern "C"`` under its symbol's name.

    Raises CompileError for an operation that has no CUDA form.
    """
    printer = CudaPrinter()
    for kernel in kernels:
        printer.kernel(kernel)
        printer.line("")
    text = "\n".join(printer.lines)
    return prelude_for(text) + "\n" + text


@dataclass(frozen=True)
class CudaTarget(Target):
    """Prints every ``gpu.kernel`` of a module, in order; one without any is a CompileError."""

    name = "cuda"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        kernels = [op for op in module.ops if isinstance(op, gpu.KernelOp)]
        if not kernels:
            raise CompileError("the module has no gpu.kernel; run --lower-to-gpu before -t cuda")
        output.write(cuda_text(kernels))
