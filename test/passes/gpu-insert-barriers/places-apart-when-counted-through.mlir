// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// By line and column, the second round may touch what the first one did. Counted through, the first round ends where the
// second one begins; the third one overlaps it.
gpu.kernel @rounds(%x: memref<64x64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<4x25xf32, #loop.space<shared>>
  %v = loop.load %x[0, %t] : memref<64x64xf32> -> f32
  loop.store %v, %s[%t floordiv 25, %t mod 25] : f32 -> memref<4x25xf32, #loop.space<shared>>
  loop.store %v, %s[(%t + 32) floordiv 25, (%t + 32) mod 25] : f32 -> memref<4x25xf32, #loop.space<shared>>
  loop.store %v, %s[(%t + 48) floordiv 25, (%t + 48) mod 25] : f32 -> memref<4x25xf32, #loop.space<shared>>
  gpu.end
}
// CHECK-LABEL: gpu.kernel @rounds
// CHECK:       loop.load
// CHECK-NEXT:  loop.store %v, %s[%t floordiv 25, %t mod 25]
// CHECK-NEXT:  loop.store %v, %s[(%t + 32) floordiv 25, (%t + 32) mod 25]
// CHECK-NEXT:  gpu.barrier
// CHECK-NEXT:  loop.store %v, %s[(%t + 48) floordiv 25, (%t + 48) mod 25]
