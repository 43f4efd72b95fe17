// RUN: dlc-opt %s --gpu-jam-unrolled | filecheck %s

// The sum moves to registers; what the loop over %k needs from before it is computed inside.
gpu.kernel @window(%x: memref<9x64xf32>, %b: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %width step %one {
    %rows = arith.constant 9 : index
    %bias = loop.load %b[%t * 4 + %v] : memref<64xf32> -> f32
    %zero = arith.constant 0.0 : f32
    %column = loop.index [%t * 4 + %v]
    %sum = scf.for %k = %low to %rows step %one iter_args(%a = %zero) -> (f32) {
      %e = loop.load %x[%k, %column] : memref<9x64xf32> -> f32
      %n = arith.addf %a, %e : f32
      scf.yield %n : f32
    }
    %total = arith.addf %sum, %bias : f32
    loop.store %total, %y[%column] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}
// CHECK:      %[[R:.*]] = gpu.register_alloc : memref<4xf32, #loop.space<register>>
// CHECK-NEXT: %[[ROWS:.*]] = arith.constant 9 : index
// CHECK-NEXT: scf.for %[[V:.*]] = %low to %width step %one {
// CHECK-NEXT:   %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   loop.store %[[Z]], %[[R]][%[[V]]]
// CHECK-NEXT: } {unroll}
// CHECK-NEXT: scf.for %[[K:.*]] = %low to %[[ROWS]] step %one {
// CHECK-NEXT:   scf.for %[[V:.*]] = %low to %width step %one {
// CHECK-NEXT:     %[[C:.*]] = loop.index [%t * 4 + %[[V]]]
// CHECK-NEXT:     %[[A:.*]] = loop.load %[[R]][%[[V]]]
// CHECK-NEXT:     %[[E:.*]] = loop.load %x[%[[K]], %[[C]]]
// CHECK-NEXT:     %[[N:.*]] = arith.addf %[[A]], %[[E]]
// CHECK-NEXT:     loop.store %[[N]], %[[R]][%[[V]]]
// CHECK-NEXT:   } {unroll}
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %[[V:.*]] = %low to %width step %one {
// CHECK-NEXT:   %[[BIAS:.*]] = loop.load %b[%t * 4 + %[[V]]]
// CHECK-NEXT:   %[[C:.*]] = loop.index
// CHECK-NEXT:   %[[S:.*]] = loop.load %[[R]][%[[V]]]
// CHECK-NEXT:   arith.addf %[[S]], %[[BIAS]]
// CHECK-NEXT:   loop.store
// CHECK-NEXT: } {unroll}
