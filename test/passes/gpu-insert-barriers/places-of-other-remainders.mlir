// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// Both writes go to eight columns of each row; the first to those at multiples of 8, two at a time, the
// second to those two further on: no thread writes what another one writes.
// CHECK:      gpu.copy
// CHECK-NEXT: gpu.copy
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: gpu.copy %{{.*}}[0] to %{{.*}}[%{{.*}} floordiv 8, %{{.*}} mod 8 * 8 + 1]
gpu.kernel @k(%x: memref<32xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 0 : i64} {
  %s = gpu.shared_alloc : memref<8x66xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  %t = gpu.thread_id x : index
  gpu.copy %r[0] to %s[%t floordiv 8, %t mod 8 * 8] {elements = 2 : i64} : memref<8xf16, #loop.space<register>>, memref<8x66xf16, #loop.space<shared>>
  gpu.copy %r[2] to %s[%t floordiv 8, %t mod 8 * 8 + 2] {elements = 2 : i64} : memref<8xf16, #loop.space<register>>, memref<8x66xf16, #loop.space<shared>>
  gpu.copy %r[0] to %s[%t floordiv 8, %t mod 8 * 8 + 1] {elements = 1 : i64} : memref<8xf16, #loop.space<register>>, memref<8x66xf16, #loop.space<shared>>
  gpu.end
}
