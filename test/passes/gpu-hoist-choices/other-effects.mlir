// RUN: dlc-opt %s --gpu-hoist-choices | filecheck %s
// CHECK-NOT: gpu.register_alloc

// A branch writes.
gpu.kernel @writes(%x: memref<128xf32>, %n: memref<128xf32>, %o: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 2 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %v = %low to %eight step %one {
    %at = loop.index [%t * 8 + %v]
    %c = arith.cmpi slt, %at, %limit : index
    %d = scf.if %c -> (f32) {
      loop.store %zero, %n[%t * 8 + %v] : f32 -> memref<128xf32>
      scf.yield %zero : f32
    } else {
      %b = loop.load %x[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %b : f32
    }
    loop.store %d, %o[%t * 8 + %v] : f32 -> memref<128xf32>
  } {unroll}
  gpu.end
}

// Other threads write what a branch reads, before the barrier in the loop.
gpu.kernel @waits(%x: memref<128xf32>, %o: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 64 : index
  %s = gpu.shared_alloc : memref<128xf32, #loop.space<shared>>
  scf.for %v = %low to %eight step %one {
    gpu.barrier
    %at = loop.index [%t * 8 + %v]
    %c = arith.cmpi slt, %at, %limit : index
    %d = scf.if %c -> (f32) {
      %a = loop.load %s[127 - %t * 8 - %v] : memref<128xf32, #loop.space<shared>> -> f32
      scf.yield %a : f32
    } else {
      %b = loop.load %x[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %b : f32
    }
    loop.store %d, %o[%t * 8 + %v] : f32 -> memref<128xf32>
  } {unroll}
  gpu.end
}
