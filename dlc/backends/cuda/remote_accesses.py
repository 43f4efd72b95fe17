"""Loads and stores of another block's shared memory as functions of CUDA text (PTX ISA, "mapa",
"ld", "st" and "st.async" with
``.shared::cluster``).
"""

from dlc.dialects.gpu.cluster import REMOTE_BYTES, ClusterLoadOp, ClusterStoreOp


def remote_access_name(op: ClusterLoadOp | ClusterStoreOp) -> str:
    """Return the name of the function that does a load or a store."""
    return f"cluster_{'load' if isinstance(op, ClusterLoadOp) else 'store'}_{op.bytes}"


def remote_accesses() -> dict[str, str]:
    """Return the definition of each function that moves a vector."""
    texts: dict[str, str] = {}
    for bytes in REMOTE_BYTES:
        texts |= {f"cluster_load_{bytes}": _load(bytes), f"cluster_store_{bytes}": _store(bytes)}
        texts[f"st_async_{bytes}"] = _st_async(bytes)
    return texts


def _words(bytes: int, first: int) -> tuple[str, str]:
    """Return how PTX names a vector of so many bytes, and its registers from number first on."""
    count = bytes // 4
    registers = ", ".join(f"%{first + n}" for n in range(count))
    vector = f".v{count}" if count > 1 else ""
    return vector, f"{{{registers}}}" if count > 1 else registers


def _load(bytes: int) -> str:
    vector, registers = _words(bytes, 0)
    count = bytes // 4
    outputs = ", ".join(f'"=r"(r[{n}])' for n in range(count))
    return f"""
__device__ __forceinline__ void cluster_load_{bytes}(void* to, const void* from, int rank) {{
  unsigned* r = (unsigned*)to;
  asm volatile("ld.shared::cluster{vector}.u32 {registers}, [%{count}];"
               : {outputs} : "r"(cluster_address(from, rank)) : "memory");
}}"""


def _store(bytes: int) -> str:
    vector, registers = _words(bytes, 1)
    inputs = ", ".join(f'"r"(r[{n}])' for n in range(bytes // 4))
    return f"""
__device__ __forceinline__ void cluster_store_{bytes}(void* to, const void* from, int rank) {{
  const unsigned* r = (const unsigned*)from;
  asm volatile("st.shared::cluster{vector}.u32 [%0], {registers};"
               :: "r"(cluster_address(to, rank)), {inputs} : "memory");
}}"""


def _st_async(bytes: int) -> str:
    vector, registers = _words(bytes, 1)
    inputs = ", ".join(f'"r"(r[{n}])' for n in range(bytes // 4))
    barrier = 1 + bytes // 4
    return f"""
__device__ __forceinline__ void st_async_{bytes}(
    void* to, const void* from, void* barrier, int rank) {{
  const unsigned* r = (const unsigned*)from;
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes{vector}.u32 "
               "[%0], {registers}, [%{barrier}];"
               :: "r"(cluster_address(to, rank)), {inputs}, "r"(cluster_address(barrier, rank))
               : "memory");
}}"""
