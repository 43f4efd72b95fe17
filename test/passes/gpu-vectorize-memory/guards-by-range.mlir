// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s

// A guard that always holds is no condition.
// CHECK-LABEL: @always_inside
// CHECK-NOT:   scf.if
// CHECK:       gpu.copy %x[%r, %t * 4]
gpu.kernel @always_inside(%x: memref<16x64xf32>, %y: memref<16x64xf32>) attributes {grid = array<i64: 16, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %r = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %width step %one {
    %a = loop.load %x[%r, %t * 4 + %v] guard [0] fill 0.000000e+00 : f32 : memref<16x64xf32> -> f32
    loop.store %a, %y[%r, %t * 4 + %v] : f32 -> memref<16x64xf32>
  } {unroll}
  gpu.end
}

// Of a row that data decide nothing is known: both ends are compared.
// CHECK-LABEL: @row_from_data
// CHECK:       %[[ROW:.*]] = loop.index [%row]
// CHECK:       arith.cmpi sge, %[[ROW]]
// CHECK:       arith.cmpi slt, %[[ROW]]
// CHECK:       scf.if
// CHECK-NEXT:    gpu.copy %x[%row, %t * 4]
gpu.kernel @row_from_data(%p: memref<1xi64>, %x: memref<16x64xf32>, %y: memref<16x64xf32>) attributes {grid = array<i64: 16, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %r = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %i = loop.load %p[0] : memref<1xi64> -> i64
  %row = arith.index_cast %i : i64 to index
  scf.for %v = %low to %width step %one {
    %a = loop.load %x[%row, %t * 4 + %v] guard [0] fill 0.000000e+00 : f32 : memref<16x64xf32> -> f32
    loop.store %a, %y[%r, %t * 4 + %v] : f32 -> memref<16x64xf32>
  } {unroll}
  gpu.end
}
