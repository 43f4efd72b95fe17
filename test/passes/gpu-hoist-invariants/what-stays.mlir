// RUN: dlc-opt %s --gpu-hoist-invariants | filecheck %s

// The loop writes the buffer; a condition decides; a rolled loop; a loop that may not run.
// CHECK-LABEL: @stays
// CHECK:      %one = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[V:.*]] = %low to %four step %one {
// CHECK-NEXT:   loop.load %y[%t, 0]
// CHECK-NEXT:   %[[C:.*]] = arith.cmpi
// CHECK-NEXT:   scf.if %[[C]] {
// CHECK-NEXT:     %[[A:.*]] = loop.load %x[%t, 0]
// CHECK:        }
// CHECK-NEXT: } {unroll}
// CHECK-NEXT: scf.for %[[W:.*]] = %low to %four step %one {
// CHECK-NEXT:   loop.load %x[%t, 1]
// CHECK:      scf.for %[[W:.*]] = %low to %low step %one {
// CHECK-NEXT:   loop.load %x[%t, 2]
gpu.kernel @stays(%x: memref<16x4xf32>, %y: memref<16x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %four step %one {
    %old = loop.load %y[%t, 0] : memref<16x4xf32> -> f32
    %c = arith.cmpi slt, %v, %t : index
    scf.if %c {
      %a = loop.load %x[%t, 0] : memref<16x4xf32> -> f32
      %s = arith.addf %a, %old : f32
      loop.store %s, %y[%t, %v] : f32 -> memref<16x4xf32>
    }
  } {unroll}
  scf.for %w = %low to %four step %one {
    %b = loop.load %x[%t, 1] : memref<16x4xf32> -> f32
    loop.store %b, %y[%t, %w] : f32 -> memref<16x4xf32>
  }
  scf.for %w = %low to %low step %one {
    %b = loop.load %x[%t, 2] : memref<16x4xf32> -> f32
    loop.store %b, %y[%t, %w] : f32 -> memref<16x4xf32>
  } {unroll}
  gpu.end
}
