// RUN: %roundtrip

gpu.kernel @fragments(%x: memref<64x64xf16>, %y: memref<64x64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 8192 : i64, max_registers = 128 : i64, resident_blocks = 2 : i64} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id y : index
  %p = arith.constant true
  %s = gpu.shared_alloc {offset = 0 : i64, swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
  %n = gpu.counter_alloc : memref<4xi32>
  %a = gpu.register_alloc : memref<2x8xf16, #loop.space<register>>
  %c = gpu.register_alloc : memref<2x4xf32, #loop.space<register>>
  gpu.cp_async %x[%t, 0] to %s[%t, 8] if %p {bytes = 16 : i64} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>
  gpu.cp_async %x[%t, 0] to %s[%t, 0] {bytes = 16 : i64} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>
  gpu.cp_async_commit
  gpu.cp_async_wait {outstanding = 0 : i64}
  gpu.barrier
  gpu.ldmatrix %s[%t mod 16, (%t floordiv 16) * 8] to %a[0, 0] {matrices = 4 : i64} : memref<64x64xf16, #loop.space<shared>>, memref<2x8xf16, #loop.space<register>>
  gpu.ldmatrix %s[%t mod 16, 0] to %a[1, 0] {matrices = 2 : i64, transpose} : memref<64x64xf16, #loop.space<shared>>, memref<2x8xf16, #loop.space<register>>
  gpu.mma %a[0, 0], %a[1, 0], %c[0, 0] {shape = "m16n8k16"} : memref<2x8xf16, #loop.space<register>>, memref<2x8xf16, #loop.space<register>>, memref<2x4xf32, #loop.space<register>>
  gpu.warp_barrier
  gpu.copy %c[0, 0] to %y[%t, 4] {elements = 4 : i64} : memref<2x4xf32, #loop.space<register>>, memref<64x64xf32>
  gpu.end
}
gpu.kernel @counters(%n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %v = loop.load %n[%t floordiv 16] : memref<4xi32> -> i32
  %m = gpu.shuffle xor %v, 16 : i32
  gpu.fence
  %old = gpu.atomic_add %m, %n[%t mod 4] : i32, memref<4xi32> -> i32
  gpu.end
}
// CHECK-LABEL: gpu.kernel @fragments(%x: memref<64x64xf16>, %y: memref<64x64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 8192 : i64, max_registers = 128 : i64, resident_blocks = 2 : i64} {
// CHECK-NEXT: %t = gpu.thread_id x : index
// CHECK-NEXT: %b = gpu.block_id y : index
// CHECK:      gpu.shared_alloc {offset = 0 : i64, swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
// CHECK-NEXT: gpu.counter_alloc : memref<4xi32>
// CHECK-NEXT: gpu.register_alloc : memref<2x8xf16, #loop.space<register>>
// CHECK:      gpu.cp_async %x[%t, 0] to %s[%t, 8] if %p {bytes = 16 : i64} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>
// CHECK-NEXT: gpu.cp_async %x[%t, 0] to %s[%t, 0] {bytes = 16 : i64} :
// CHECK-NEXT: gpu.cp_async_commit
// CHECK-NEXT: gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: gpu.ldmatrix %s[%t mod 16, %t floordiv 16 * 8] to %a[0, 0] {matrices = 4 : i64} :
// CHECK-NEXT: gpu.ldmatrix %s[%t mod 16, 0] to %a[1, 0] {matrices = 2 : i64, transpose} :
// CHECK-NEXT: gpu.mma %a[0, 0], %a[1, 0], %c[0, 0] {shape = "m16n8k16"} :
// CHECK-NEXT: gpu.warp_barrier
// CHECK-NEXT: gpu.copy %c[0, 0] to %y[%t, 4] {elements = 4 : i64} : memref<2x4xf32, #loop.space<register>>, memref<64x64xf32>
// CHECK-LABEL: gpu.kernel @counters
// CHECK:      gpu.shuffle xor %v, 16 : i32
// CHECK-NEXT: gpu.fence
// CHECK-NEXT: gpu.atomic_add %m, %n[%t mod 4] : i32, memref<4xi32> -> i32
