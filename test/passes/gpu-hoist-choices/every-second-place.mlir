// RUN: dlc-opt %s --gpu-hoist-choices | filecheck %s

// Places that are two apart lie on both sides of a limit that the first place only is a multiple of.
// CHECK-LABEL: @every_second
// CHECK-NOT:   gpu.register_alloc
gpu.kernel @every_second(%x: memref<128xf32>, %y: memref<128xf32>, %o: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 8 : index
  scf.for %v = %low to %eight step %one {
    %at = loop.index [%t * 8 + %v * 2]
    %c = arith.cmpi slt, %at, %limit : index
    %d = scf.if %c -> (f32) {
      %a = loop.load %x[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %a : f32
    } else {
      %b = loop.load %y[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %b : f32
    }
    loop.store %d, %o[%t * 8 + %v] : f32 -> memref<128xf32>
  } {unroll}
  gpu.end
}
