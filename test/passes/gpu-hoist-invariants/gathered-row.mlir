// RUN: dlc-opt %s --gpu-hoist-invariants | filecheck %s

// The row is the same for all neighbours: it is loaded and taken to the table before the loop.
// CHECK-LABEL: @gathered
// CHECK:      %[[N:.*]] = loop.load %places[%t]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT: %[[M:.*]] = arith.maxsi %[[ZERO]], %[[N]] : i64
// CHECK-NEXT: %[[R:.*]] = arith.index_cast %[[M]] : i64 to index
// CHECK-NEXT: scf.for %[[V:.*]] = %low to %four step %one {
// CHECK-NEXT:   %[[D:.*]] = loop.load %x[%[[R]], %[[V]]]
// CHECK-NEXT:   loop.store %[[D]], %y[%t, %[[V]]]
// CHECK-NEXT: } {unroll}
gpu.kernel @gathered(%x: memref<9x4xf32>, %places: memref<16xi64>, %y: memref<16x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %four step %one {
    %n = loop.load %places[%t] : memref<16xi64> -> i64
    %zero = arith.constant 0 : i64
    %m = arith.maxsi %zero, %n : i64
    %r = arith.index_cast %m : i64 to index
    %d = loop.load %x[%r, %v] : memref<9x4xf32> -> f32
    loop.store %d, %y[%t, %v] : f32 -> memref<16x4xf32>
  } {unroll}
  gpu.end
}

// Out of two loops, one after the other.
// CHECK-LABEL: @nested
// CHECK:      %[[A:.*]] = loop.load %x[%t, 0]
// CHECK-NEXT: scf.for %[[U:.*]] = %low
// CHECK-NEXT:   scf.for %[[V:.*]] = %low
gpu.kernel @nested(%x: memref<16x4xf32>, %y: memref<16x4x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %u = %low to %four step %one {
    scf.for %v = %low to %four step %one {
      %a = loop.load %x[%t, 0] : memref<16x4xf32> -> f32
      loop.store %a, %y[%t, %u, %v] : f32 -> memref<16x4x4xf32>
    } {unroll}
  } {unroll}
  gpu.end
}
