// RUN: %roundtrip

gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  // CHECK: gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  // CHECK-NEXT: gpu.grid_barrier %c[0] {number = 2 : i64} : memref<1xi32>
  gpu.grid_barrier %c[0] {number = 2 : i64} : memref<1xi32>
  gpu.end
}
