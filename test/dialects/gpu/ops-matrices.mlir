// RUN: %roundtrip

gpu.kernel @stores(%x: memref<8xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<16x64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<2x8xf16, #loop.space<register>>
  gpu.stmatrix %r[1, 0] to %s[%t mod 16, %t floordiv 16 * 8] {matrices = 4 : i64} : memref<2x8xf16, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>
  gpu.stmatrix %r[0, 0] to %s[%t mod 16, 0] {matrices = 2 : i64, transpose} : memref<2x8xf16, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>
  gpu.end
}
// CHECK-LABEL: gpu.kernel @stores
// CHECK:      gpu.stmatrix %r[1, 0] to %s[%t mod 16, %t floordiv 16 * 8] {matrices = 4 : i64} : memref<2x8xf16, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>
// CHECK-NEXT: gpu.stmatrix %r[0, 0] to %s[%t mod 16, 0] {matrices = 2 : i64, transpose} :
