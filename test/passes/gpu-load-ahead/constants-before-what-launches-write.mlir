// RUN: dlc-opt --gpu-load-ahead=arch=sm_90a --gpu-insert-launch-waits %s | filecheck %s

// The weight of a row of threads comes while the kernel waits for the launches before it.
// CHECK: gpu.kernel @row
// CHECK:      gpu.copy %w[%{{.*}} * 4] to %[[W:.*]][0]
// CHECK-NEXT: gpu.griddepcontrol_wait
// CHECK-NEXT: gpu.copy %x
// CHECK:      gpu.shuffle
// CHECK-NOT:  gpu.copy %w
// CHECK:      gpu.copy %[[W]][0] to %b[0]
gpu.kernel @row(%x: memref<128xf16>, %w: memref<128xf16>, %y: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %a = gpu.register_alloc : memref<4xf16, #loop.space<register>>
  gpu.copy %x[%t * 4] to %a[0] {elements = 4 : i64} : memref<128xf16>, memref<4xf16, #loop.space<register>>
  %v = loop.load %a[0] : memref<4xf16, #loop.space<register>> -> f32
  %o = gpu.shuffle xor %v, 16 : f32
  %b = gpu.register_alloc : memref<4xf16, #loop.space<register>>
  gpu.copy %w[%t * 4] to %b[0] {elements = 4 : i64} : memref<128xf16>, memref<4xf16, #loop.space<register>>
  %u = loop.load %b[0] : memref<4xf16, #loop.space<register>> -> f32
  %s = arith.addf %o, %u : f32
  loop.store %s, %y[%t] : f32 -> memref<128xf32>
  gpu.end
}
