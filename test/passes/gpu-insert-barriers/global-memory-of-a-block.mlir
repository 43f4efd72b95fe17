// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// Each thread of the second nest reads what another one of its block has written; those of the third
// read what they have written themselves, and nobody writes %x.
gpu.kernel @mirror(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %z: memref<4x64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 2 : i64} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %v = loop.load %x[%b, %t] : memref<4x64xf32> -> f32
  loop.store %v, %y[%b, %t] : f32 -> memref<4x64xf32>
  %w = loop.load %y[%b, 63 - %t] : memref<4x64xf32> -> f32
  loop.store %w, %z[%b, 63 - %t] : f32 -> memref<4x64xf32>
  %u = loop.load %z[%b, 63 - %t] : memref<4x64xf32> -> f32
  gpu.end
}
// CHECK:      loop.store %v, %y
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.load %y
// CHECK-NEXT: loop.store %w, %z
// CHECK-NEXT: loop.load %z
// CHECK-NEXT: gpu.end

// All threads add to one element, each time round: additions need no barrier.
gpu.kernel @additions(%x: memref<8x64xf32>, %y: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %zero to %n step %one {
    %v = loop.load %x[%i, %t] : memref<8x64xf32> -> f32
    %old = gpu.atomic_add %v, %y[0] : f32, memref<1xf32> -> f32
  }
  gpu.end
}
// CHECK-LABEL: gpu.kernel @additions
// CHECK-NOT:   gpu.barrier
// CHECK:       gpu.end
