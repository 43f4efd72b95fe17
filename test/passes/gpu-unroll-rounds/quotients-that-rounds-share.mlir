// RUN: dlc-opt %s --gpu-unroll-rounds | filecheck %s

// Lines of 64 in rounds of 128: the line of a thread in each round is two further on, and its place is the same.
// CHECK-LABEL: @lines
// CHECK:      loop.load %x[%t floordiv 64, %t mod 64]
// CHECK-NEXT: loop.store %{{.*}}, %y[%t mod 64, %t floordiv 64]
// CHECK-NEXT: loop.load %x[%t floordiv 64 + 2, %t mod 64]
// CHECK-NEXT: loop.store %{{.*}}, %y[%t mod 64, %t floordiv 64 + 2]
// CHECK-NEXT: gpu.end
gpu.kernel @lines(%x: memref<4x64xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %n = arith.constant 256 : index
  %step = arith.constant 128 : index
  scf.for %i = %t to %n step %step {
    %e = loop.load %x[%i floordiv 64, %i mod 64] : memref<4x64xf32> -> f32
    loop.store %e, %y[%i mod 64, %i floordiv 64] : f32 -> memref<64x4xf32>
  } {straight}
  gpu.end
}

// An index that another one is computed from is composed, too; one that is stored as a number stays.
// CHECK-LABEL: @numbers
// CHECK:      %[[I:.*]] = loop.index [%t + 128]
// CHECK-NEXT: %[[H:.*]] = loop.index [%t floordiv 64 + 2]
// CHECK-NEXT: arith.addi %[[I]], %[[H]]
gpu.kernel @numbers(%y: memref<256xi64>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %n = arith.constant 256 : index
  %step = arith.constant 128 : index
  scf.for %i = %t to %n step %step {
    %h = loop.index [%i floordiv 64]
    %s = arith.addi %i, %h : index
    %w = arith.index_cast %s : index to i64
    loop.store %w, %y[%i] : i64 -> memref<256xi64>
  } {straight}
  gpu.end
}
