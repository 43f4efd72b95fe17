// RUN: dlc-opt %s --gpu-hoist-choices | filecheck %s

// A loop that carries a value stays: what it would leave before itself is not its result.
// CHECK-NOT: gpu.register_alloc
gpu.kernel @sum(%x: memref<128xf32>, %y: memref<128xf32>, %o: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %v = %low to %eight step %one iter_args(%s = %zero) -> (f32) {
    %at = loop.index [%t * 8 + %v]
    %c = arith.cmpi slt, %at, %limit : index
    %d = scf.if %c -> (f32) {
      %a = loop.load %x[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %a : f32
    } else {
      %b = loop.load %y[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %b : f32
    }
    %n = arith.addf %s, %d : f32
    scf.yield %n : f32
  } {unroll}
  loop.store %sum, %o[%t] : f32 -> memref<128xf32>
  gpu.end
}
