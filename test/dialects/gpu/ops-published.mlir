// RUN: %roundtrip

// CHECK: gpu.kernel @k(%x: memref<8x64xf16>, %y: memref<8x64xf16>, %z: memref<64xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 256>, cooperative, filled = array<i64: 1, 2>} {
gpu.kernel @k(%x: memref<8x64xf16>, %y: memref<8x64xf16>, %z: memref<64xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 256>, cooperative, filled = array<i64: 1, 2>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %r = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  // CHECK: gpu.publish %r[0] to %y[%b, %t * 2] {elements = 2 : i64} : memref<8xf16, #loop.space<register>>, memref<8x64xf16>
  gpu.publish %r[0] to %y[%b, %t * 2] {elements = 2 : i64} : memref<8xf16, #loop.space<register>>, memref<8x64xf16>
  // CHECK-NEXT: gpu.await %y[%b, %t mod 8 * 4] to %r[0] {elements = 4 : i64, pieces = 2 : i64, stride = array<i64: 0, 32>} : memref<8x64xf16>, memref<8xf16, #loop.space<register>>
  gpu.await %y[%b, %t mod 8 * 4] to %r[0] {elements = 4 : i64, pieces = 2 : i64, stride = array<i64: 0, 32>} : memref<8x64xf16>, memref<8xf16, #loop.space<register>>
  // CHECK-NEXT: gpu.await %z[%t * 2] to %s[0] {elements = 2 : i64} : memref<64xf32>, memref<4xf32, #loop.space<register>>
  gpu.await %z[%t * 2] to %s[0] {elements = 2 : i64} : memref<64xf32>, memref<4xf32, #loop.space<register>>
  gpu.end
}

// CHECK: loop.kernel @l(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, cooperative, filled = array<i64: 1>}
loop.kernel @l(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  loop.end
}
