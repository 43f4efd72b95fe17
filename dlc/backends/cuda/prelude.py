"""The functions that generated CUDA text calls: what C++ has no word for, as inline PTX.

No header is included: NVRTC has none of its own, and they cost more time than a kernel. 16-bit
floats are stored as ``unsigned short``. Each function stands in the text of a kernel only if used.

The emulator reads this text (``dlc/emulator/translation.py``): an ``asm`` statement is one
instruction, or one that gives a predicate as in ``mbarrier_wait``, and ``emulator/native/device.h``
has a function of its name.
"""

import re

from dlc.arch.matrix_descriptor import ADDRESS_MASK
from dlc.arch.memory import PIECE_BYTES
from dlc.backends.cuda.grid_barrier import GRID_BARRIER
from dlc.backends.cuda.matrix_moves import matrix_moves
from dlc.backends.cuda.products import products
from dlc.backends.cuda.published_values import published_moves
from dlc.backends.cuda.remote_accesses import remote_accesses
from dlc.backends.cuda.tensor_copies import tensor_copies
from dlc.backends.cuda.warpgroup_products import warpgroup_products
from dlc.dialects.gpu.copy import CP_ASYNC_BYTES

_FLOAT, _HALF = ("float", "f"), ("unsigned short", "h")
"""Types in C++, and of what register of inline PTX they are."""


def _instruction(name: str, ptx: str, result: tuple[str, str], *operands: tuple[str, str]) -> str:
    """Return a function that is one instruction of up to two operands."""
    names = "xyz"[: len(operands) + 1]
    (type, register), out = result, names[-1]
    arguments = ", ".join(f"{t} {n}" for (t, _), n in zip(operands, names, strict=False))
    given = ", ".join(f'"{r}"({n})' for (_, r), n in zip(operands, names, strict=False))
    places = ", ".join(f"%{number}" for number in range(len(names)))
    return f"""
__device__ __forceinline__ {type} {name}({arguments}) {{
  {type} {out};
  asm("{ptx} {places};" : "={register}"({out}) : {given});
  return {out};
}}"""


def _statement(name: str, ptx: str, constant: str = "") -> str:
    """Return a function that is one instruction with no operands, or one that is a constant."""
    template = f"template <int {constant}>\n" if constant else ""
    what = f'"{ptx} %0;" :: "n"({constant}) :' if constant else f'"{ptx};" :::'
    return f"""
{template}__device__ __forceinline__ void {name}() {{
  asm volatile({what} "memory");
}}"""


def _cp_async(bytes: int) -> str:
    """Return a function that copies so many bytes; past the first-level cache, where it can."""
    cache = "cg" if bytes == max(CP_ASYNC_BYTES) else "ca"
    return f"""
__device__ __forceinline__ void cp_async_{bytes}(void* to, const void* from, bool inside) {{
  asm volatile("cp.async.{cache}.shared.global [%0], [%1], {bytes}, %2;"
               :: "r"(shared_address(to)), "l"(from), "r"(inside ? {bytes} : 0) : "memory");
}}"""


def _mbarrier_wait(name: str, order: str) -> str:
    """Return a function that waits for a phase. order: of accesses, where it is not the default."""
    return f"""
__device__ __forceinline__ void {name}(void* barrier, int parity) {{
  int done;
  do
    asm volatile("{{ .reg .pred p; mbarrier.try_wait.parity{order}.shared::cta.b64 p, [%1], %2; "
                 "selp.s32 %0, 1, 0, p; }}"
                 : "=r"(done) : "r"(shared_address(barrier)), "r"(parity) : "memory");
  while (!done);
}}"""


PRELUDE: dict[str, str] = {
    "load_f16": _instruction("load_f16", "cvt.f32.f16", _FLOAT, _HALF),
    "store_f16": _instruction("store_f16", "cvt.rn.f16.f32", _HALF, _FLOAT),
    "load_bf16": """
__device__ __forceinline__ float load_bf16(unsigned short x) {
  return __uint_as_float((unsigned)x << 16);
}""",
    "store_bf16": _instruction("store_bf16", "cvt.rn.bf16.f32", _HALF, _FLOAT),
    "maximum_f32": _instruction("maximum_f32", "max.NaN.f32", _FLOAT, _FLOAT, _FLOAT),
    "minimum_f32": _instruction("minimum_f32", "min.NaN.f32", _FLOAT, _FLOAT, _FLOAT),
    "reciprocal_f32": _instruction("reciprocal_f32", "rcp.approx.f32", _FLOAT, _FLOAT),
    "short_reciprocal_f32": _instruction(
        "short_reciprocal_f32", "rcp.approx.ftz.f32", _FLOAT, _FLOAT
    ),
    "exponential_f32": """
__device__ __forceinline__ float exponential_f32(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695041f));
  return y;
}""",
    "power_of_two_f32": _instruction("power_of_two_f32", "ex2.approx.ftz.f32", _FLOAT, _FLOAT),
    "quotient_f32": """
__device__ __forceinline__ float quotient_f32(float x, float y) {
  float r;
  asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(y));
  const float near = x * r, q = fmaf(fmaf(-near, y, x), r, near);
  return q == q ? q : near;
}""",
    "maximum_f64": """
__device__ __forceinline__ double maximum_f64(double x, double y) {
  return x > y || x != x ? x : y;
}""",
    "minimum_f64": """
__device__ __forceinline__ double minimum_f64(double x, double y) {
  return x < y || x != x ? x : y;
}""",
    "swizzle": """
template <int bits, int base, int shift>
__device__ __forceinline__ int swizzle(int offset) {
  return offset ^ (((offset >> (base + shift)) & ((1 << bits) - 1)) << base);
}""",
    "shared_address": """
__device__ __forceinline__ unsigned shared_address(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}""",
    **{f"cp_async_{bytes}": _cp_async(bytes) for bytes in reversed(CP_ASYNC_BYTES)},
    "cp_async_commit": _statement("cp_async_commit", "cp.async.commit_group"),
    "cp_async_wait": _statement("cp_async_wait", "cp.async.wait_group", "outstanding"),
    "bar_sync": """
template <int threads>
__device__ __forceinline__ void bar_sync(int number) {
  asm volatile("bar.sync %0, %1;" :: "r"(number), "n"(threads) : "memory");
}""",
    "bar_arrive": """
template <int threads>
__device__ __forceinline__ void bar_arrive(int number) {
  asm volatile("bar.arrive %0, %1;" :: "r"(number), "n"(threads) : "memory");
}""",
    # The fence lets the engine of bulk copies see the new object, and the blocks of the cluster
    # that have waited for the thread's arrival there, though that is relaxed.
    "mbarrier_init": """
template <int arrivals>
__device__ __forceinline__ void mbarrier_init(void* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :: "r"(shared_address(barrier)), "n"(arrivals) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}""",
    "mbarrier_arrive": """
__device__ __forceinline__ void mbarrier_arrive(void* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
               :: "r"(shared_address(barrier)) : "memory");
}""",
    "mbarrier_arrive_expect": """
template <int bytes>
__device__ __forceinline__ void mbarrier_arrive_expect(void* barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :: "r"(shared_address(barrier)), "n"(bytes) : "memory");
}""",
    "mbarrier_wait": _mbarrier_wait("mbarrier_wait", ""),
    # Where other blocks arrive or send bytes, it also sees what they did before.
    "mbarrier_wait_of_cluster": _mbarrier_wait("mbarrier_wait_of_cluster", ".acquire.cluster"),
    "cp_async_arrive": """
__device__ __forceinline__ void cp_async_arrive(void* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];"
               :: "r"(shared_address(barrier)) : "memory");
}""",
    "more_registers": """
template <int count>
__device__ __forceinline__ void more_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(count));
}""",
    "fewer_registers": """
template <int count>
__device__ __forceinline__ void fewer_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(count));
}""",
    "bulk_copy": """
template <int bytes>
__device__ __forceinline__ void bulk_copy(void* to, const void* from, void* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];"
               :: "r"(shared_address(to)), "l"(from), "n"(bytes), "r"(shared_address(barrier))
               : "memory");
}""",
    **tensor_copies(),
    "prefetch_tensor_map": """
__device__ __forceinline__ void prefetch_tensor_map(const tensor_map* map) {
  asm volatile("prefetch.tensormap [%0];" :: "l"(map) : "memory");
}""",
    "bulk_commit": _statement("bulk_commit", "cp.async.bulk.commit_group"),
    "bulk_wait": _statement("bulk_wait", "cp.async.bulk.wait_group", "outstanding"),
    "bulk_wait_read": _statement("bulk_wait_read", "cp.async.bulk.wait_group.read", "outstanding"),
    "cluster_rank": """
__device__ __forceinline__ int cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return (int)rank;
}""",
    "cluster_barrier": """
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}""",
    "grid_barrier": GRID_BARRIER,
    # Relaxed: that of the barrier above waits until all that the thread has under way is visible.
    "cluster_arrive": _statement("cluster_arrive", "barrier.cluster.arrive.relaxed.aligned"),
    "cluster_wait": _statement("cluster_wait", "barrier.cluster.wait.acquire.aligned"),
    "cluster_address": """
__device__ __forceinline__ unsigned cluster_address(const void* p, int rank) {
  unsigned address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(p)), "r"(rank));
  return address;
}""",
    "mbarrier_arrive_remote": """
__device__ __forceinline__ void mbarrier_arrive_remote(void* barrier, int rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
               :: "r"(cluster_address(barrier, rank)) : "memory");
}""",
    **remote_accesses(),
    **published_moves(),
    **matrix_moves(),
    # The clobber: no load moves up across it, but those of memory that is constant.
    "wait_for_launches": _statement("wait_for_launches", "griddepcontrol.wait"),
    "launch_dependents": _statement("launch_dependents", "griddepcontrol.launch_dependents"),
    "async_fence": _statement("async_fence", "fence.proxy.async.shared::cta"),
    # In a cluster an address has the rank of the block above those that a descriptor takes.
    "matrix_descriptor": f"""
template <unsigned long long layout>
__device__ __forceinline__ unsigned long long matrix_descriptor(const void* start) {{
  return layout | (shared_address(start) & {ADDRESS_MASK:#x}u) / {PIECE_BYTES};
}}""",
    "wgmma_fence": _statement("wgmma_fence", "wgmma.fence.sync.aligned"),
    "wgmma_commit": _statement("wgmma_commit", "wgmma.commit_group.sync.aligned"),
    "wgmma_wait": _statement("wgmma_wait", "wgmma.wait_group.sync.aligned", "outstanding"),
    # For the compiler only: what comes before gives these registers, what follows reads them.
    "pin": """
template <int count>
__device__ __forceinline__ void pin(float* registers) {
#pragma unroll
  for (int i = 0; i < count; i++) asm volatile("" : "+f"(registers[i]) :: "memory");
}
template <int count>
__device__ __forceinline__ void pin(int* registers) {
#pragma unroll
  for (int i = 0; i < count; i++) asm volatile("" : "+r"(registers[i]) :: "memory");
}""",
    "round_tf32": """
__device__ __forceinline__ float round_tf32(float x) {
  unsigned y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return __uint_as_float(y);
}""",
}

_WORD = re.compile(r"[A-Za-z_]\w*")


def prelude_for(text: str) -> str:
    """Return the definitions of the functions that ``text`` and these definitions call."""
    functions = PRELUDE | products() | warpgroup_products(set(_WORD.findall(text)))
    needed: set[str] = set()
    waiting = [text]
    while waiting:
        called = set(_WORD.findall(waiting.pop())) & functions.keys()
        waiting += [functions[name] for name in called - needed]
        needed |= called
    return "\n".join(functions[name].lstrip("\n") for name in functions if name in needed)
