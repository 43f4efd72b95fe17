"""The barrier of all blocks of a launch as a function of CUDA text.

The first thread of a block counts for all: it has met them, and fences are cumulative (PTX ISA,
"Causality order"), so the one before its arrival is of what they have stored, and the one behind
its wait is for what they load. An arrival is a reduction between two fences of the scope of the
device, and the wait a load that acquires (PTX ISA, "red", "ld", "membar/fence", "Release and
Acquire Patterns"). The counter may be larger than is waited for: another block may have come to
the next barrier. CUDA's ``grid.sync()`` does the same (CUDA C++ Programming Guide, "Grid
Synchronization").
"""

GRID_BARRIER = """
template <int last_arrival>
__device__ __forceinline__ void grid_barrier(int* counter) {
  __syncthreads();
  if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0) {
    int arrival;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" :: "l"(counter) : "memory");
    do
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                   : "=r"(arrival) : "l"(counter) : "memory");
    while (arrival < last_arrival);
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }
  __syncthreads();
}"""
