"""Products of warpgroups as CUDA text: a function for each instruction, and how ops call them.

Each of these functions is one instruction. No call stands between products, and nothing but
products touches sums that are under way; else the assembler lets one product wait for the other.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from math import prod
from typing import Any

from xdsl.ir import Block, Operation, SSAValue

from dlc.arch import instructions
from dlc.arch.instruction import Instruction
from dlc.arch.matrix_descriptor import MatrixDescriptor
from dlc.arch.memory import PIECE_BYTES
from dlc.arch.scope import Scope
from dlc.backends._c_like import CLikePrinter
from dlc.backends.cuda.products import SUM_REGISTERS, product_name
from dlc.core.affine import linear_index
from dlc.dialects import gpu
from dlc.errors import CompileError
from dlc.ir.access import Access
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes

_TRANSPOSING_PACK = 2
"""Elements in a register of those types that have bits for transposed factors."""


def warpgroup_products(called: Collection[str]) -> dict[str, str]:
    """Return the definition of each function that starts a product, of those that are called: to
    write them all down takes longer than a small kernel.
    """
    rows = [row for row in instructions.rows() if row.scope is Scope.WARPGROUP]
    forms = {product_name(it): (it, False) for it in rows}
    forms |= {_name_with_registers(it): (it, True) for it in rows}
    return {name: _definition(*form) for name, form in forms.items() if name in called}


def _name_with_registers(it: Instruction) -> str:
    return f"{product_name(it)}_registers"


def _definition(it: Instruction, registers: bool) -> str:
    """Return the function that starts a product of ``a`` in registers, or in shared memory."""
    assert it.a.place is not None
    assert it.c.place is not None
    type, letter = SUM_REGISTERS[str(it.c.element)]
    sums, pack = it.c.place.slots, it.a.place.pack
    words = it.a.place.slots // pack if registers else 1
    operands = [f'"+{letter}"(c[{n}])' for n in range(sums)]
    left = [f'"r"(((const unsigned*)a)[{n}])' for n in range(words)] if registers else ['"l"(a)']
    flags = _flags(it, registers)
    inputs = [*left, '"l"(b)', *(f'"n"({flag})' for flag in flags)]
    numbers = [f"%{n}" for n in range(sums + len(inputs))]
    factor = ", ".join(numbers[sums : sums + words])
    signs = ["1", "1"] if it.element != "i8" else []
    rest = [f"{{{factor}}}" if registers else factor, numbers[sums + words], "1", *signs]
    listed = ", ".join([f"{{{', '.join(numbers[:sums])}}}", *rest, *numbers[sums + words + 1 :]])
    template = f"template <{', '.join(f'int {flag}' for flag in flags)}>\n" if flags else ""
    name = _name_with_registers(it) if registers else product_name(it)
    lhs = "const void* a" if registers else "unsigned long long a"
    return f"""
{template}__device__ __forceinline__ void {name}({lhs}, unsigned long long b, {type}* c) {{
  asm volatile("{it.ptx} "
               "{listed};"
               : {", ".join(operands)}
               : {", ".join(inputs)});
}}"""


def _flags(it: Instruction, registers: bool) -> list[str]:
    """Return the factors that may be transposed."""
    assert it.a.place is not None
    if it.a.place.pack != _TRANSPOSING_PACK:
        return []
    return ["transpose_b"] if registers else ["transpose_a", "transpose_b"]


def _wgmma(p: CLikePrinter, op: gpu.WgmmaOp) -> None:
    it, (of_a, of_b) = op.instruction, op.descriptors()
    a, b, c = op.accesses()
    flags = [op.transpose_b] if of_a is None else [op.transpose_a, op.transpose_b]
    chosen = ", ".join("0" if flag is None else "1" for flag in flags)
    name = _name_with_registers(it) if of_a is None else product_name(it)
    arguments = f"<{chosen}>" if _flags(it, of_a is None) else ""
    left = f"&{p.element(a)}" if of_a is None else _descriptor(p, a, of_a)
    p.line(f"{name}{arguments}({left}, {_descriptor(p, b, of_b)}, &{p.element(c)});")


def _descriptor(p: CLikePrinter, access: Access, layout: MatrixDescriptor) -> str:
    """Return the descriptor of a tile: that of the buffer's start, and how far it is from there."""
    owner = access.buffer.owner
    if not isinstance(owner, gpu.SharedAllocOp) or owner.swizzle is None:
        raise CompileError("a tile of a product has no swizzle; run gpu-swizzle-shared first")
    units = PIECE_BYTES // element_bytes(access.type.element_type)
    index = linear_index(access.map.results, access.type.get_shape()) // units
    start = p.index_text(access.operands).text(index)
    return f"matrix_descriptor<0x{layout.bits:x}ull>({p.names[access.buffer]}) + ({start})"


def _fence(p: CLikePrinter, op: gpu.WgmmaFenceOp) -> None:
    _pin(p, op)
    p.line("wgmma_fence();")


def _wait(p: CLikePrinter, op: gpu.WgmmaWaitOp) -> None:
    p.line(f"wgmma_wait<{op.outstanding.value.data}>();")
    _pin(p, op)


def _pin(p: CLikePrinter, op: Operation) -> None:
    """Let the compiler move nothing across a fence or a wait that touches the sums of products."""
    *around, kernel = _ancestors(op)
    blocks = {inner.parent_block() for inner in (op, *around)}
    products = (x for x in kernel.walk() if isinstance(x, gpu.WgmmaOp))
    for sums in dict.fromkeys(product.c for product in products):
        if sums in p.names and _block_of(sums) in blocks:
            p.line(f"pin<{prod(buffer_type(sums).get_shape())}>(&{p.names[sums]}[0]);")


def _ancestors(op: Operation) -> Iterator[Operation]:
    """Give the operations around ``op``, up to the kernel."""
    while not isinstance(op, gpu.KernelOp):
        parent = op.parent_op()
        assert parent is not None
        yield (op := parent)


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent_block()


STATEMENTS: Mapping[type[Operation], Callable[[Any, Any], None]] = {
    gpu.WgmmaOp: _wgmma,
    gpu.WgmmaFenceOp: _fence,
    gpu.WgmmaCommitOp: lambda p, op: p.line("wgmma_commit();"),
    gpu.WgmmaWaitOp: _wait,
}
