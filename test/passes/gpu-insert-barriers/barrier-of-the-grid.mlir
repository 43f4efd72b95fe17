// RUN: dlc-opt --gpu-insert-barriers %s | filecheck %s

// All threads of a block wait for each other where those of the grid do: no other barrier is needed.
// CHECK:      loop.store %{{.*}}, %s[%t]
// CHECK-NEXT: loop.store %{{.*}}, %y[%b, %t]
// CHECK-NEXT: gpu.grid_barrier
// CHECK-NEXT: loop.load %s[%t * -1 + 63]
// CHECK-NEXT: loop.load %y[%b, %t * -1 + 63]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.store %{{.*}}, %s[%t]
gpu.kernel @k(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %v = loop.load %x[%b, %t] : memref<4x64xf32> -> f32
  loop.store %v, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  loop.store %v, %y[%b, %t] : f32 -> memref<4x64xf32>
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  %w = loop.load %s[63 - %t] : memref<64xf32, #loop.space<shared>> -> f32
  %u = loop.load %y[%b, 63 - %t] : memref<4x64xf32> -> f32
  loop.store %u, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  gpu.end
}
