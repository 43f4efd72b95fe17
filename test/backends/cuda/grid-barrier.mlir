// RUN: dlc-opt %s -t cuda | filecheck %s

// One thread counts for its block, between fences, and waits for those of all six.
// CHECK:      template <int last_arrival>
// CHECK-NEXT: __device__ __forceinline__ void grid_barrier(int* counter) {
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0) {
// CHECK:          asm volatile("fence.acq_rel.gpu;" ::: "memory");
// CHECK-NEXT:     asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" :: "l"(counter) : "memory");
// CHECK-NEXT:     do
// CHECK-NEXT:       asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
// CHECK-NEXT:                    : "=r"(arrival) : "l"(counter) : "memory");
// CHECK-NEXT:     while (arrival < last_arrival);
// CHECK-NEXT:     asm volatile("fence.acq_rel.gpu;" ::: "memory");
// CHECK-NEXT:   }
// CHECK-NEXT:   __syncthreads();

// No promise that other blocks leave alone what they give each other; that of the input and of the result holds.
// CHECK:      k(const float* __restrict__ b1, float* __restrict__ b2, float* b3, int* b4) {
gpu.kernel @k(%x: memref<192xf32>, %y: memref<192xf32>, %s: memref<192xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 3, 2, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 768, 4>, cooperative, filled = array<i64: 3>} {
  %b = gpu.block_id x : index
  %d = gpu.block_id y : index
  %t = gpu.thread_id x : index
  %u = loop.index [(%d * 3 + %b) * 32 + %t]
  %v = loop.load %x[%u] : memref<192xf32> -> f32
  // CHECK: b3[v{{[0-9]+}}] = v
  loop.store %v, %s[%u] : f32 -> memref<192xf32>
  // CHECK-NEXT: grid_barrier<5>(&b4[0]);
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  %w = loop.load %s[191 - %u] : memref<192xf32> -> f32
  loop.store %w, %y[%u] : f32 -> memref<192xf32>
  // CHECK: grid_barrier<11>(&b4[0]);
  gpu.grid_barrier %c[0] {number = 2 : i64} : memref<1xi32>
  gpu.end
}

// CHECK: l(const float* __restrict__ b{{[0-9]+}}, float* __restrict__ b{{[0-9]+}}, float* b{{[0-9]+}}) {
gpu.kernel @l(%x: memref<64xf32>, %y: memref<64xf32>, %s: memref<64xf32>) attributes {grid = array<i64: 2, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 256>, cluster = array<i64: 2, 1, 1>} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %v = loop.load %x[%b * 32 + %t] : memref<64xf32> -> f32
  loop.store %v, %s[%b * 32 + %t] : f32 -> memref<64xf32>
  // CHECK: cluster_barrier();
  gpu.cluster_barrier
  %w = loop.load %s[63 - %b * 32 - %t] : memref<64xf32> -> f32
  loop.store %w, %y[%b * 32 + %t] : f32 -> memref<64xf32>
  gpu.end
}
