// RUN: dlc-opt --gpu-hoist-constant-copies %s | filecheck %s

// Copies of the constant %w, and the position that they need, come before the wait; others stay in their order.
// CHECK: gpu.kernel @slices
// CHECK:      %[[P:.*]] = loop.index
// CHECK-NEXT: gpu.cp_async %w[%[[P]]] to %b[0, %t * 4]
// CHECK-NEXT: gpu.cp_async %w[%t * 4 + 128] to %b[1, %t * 4]
// CHECK-NEXT: gpu.griddepcontrol_wait
// CHECK-NEXT: gpu.griddepcontrol_launch_dependents
// CHECK-NEXT: gpu.cp_async %x[%t * 4] to %a[0, %t * 4]
// CHECK-NEXT: gpu.cp_async_commit
// CHECK-NEXT: gpu.cp_async %x[%t * 4 + 128] to %a[1, %t * 4]
// CHECK-NEXT: gpu.cp_async_commit
// CHECK-NEXT: gpu.cp_async_wait
// CHECK-NEXT: gpu.cp_async %w
gpu.kernel @slices(%x: memref<256xf32>, %w: memref<256xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 2048 : i64, constant_inputs = array<i64: 1>} {
  %a = gpu.shared_alloc {offset = 0 : i64} : memref<2x128xf32, #loop.space<shared>>
  %b = gpu.shared_alloc {offset = 1024 : i64} : memref<2x128xf32, #loop.space<shared>>
  %t = gpu.thread_id x : index
  gpu.griddepcontrol_wait
  gpu.griddepcontrol_launch_dependents
  gpu.cp_async %x[%t * 4] to %a[0, %t * 4] {bytes = 16 : i64} : memref<256xf32>, memref<2x128xf32, #loop.space<shared>>
  %p = loop.index [%t * 4]
  gpu.cp_async %w[%p] to %b[0, %t * 4] {bytes = 16 : i64} : memref<256xf32>, memref<2x128xf32, #loop.space<shared>>
  gpu.cp_async_commit
  gpu.cp_async %x[%t * 4 + 128] to %a[1, %t * 4] {bytes = 16 : i64} : memref<256xf32>, memref<2x128xf32, #loop.space<shared>>
  gpu.cp_async %w[%t * 4 + 128] to %b[1, %t * 4] {bytes = 16 : i64} : memref<256xf32>, memref<2x128xf32, #loop.space<shared>>
  gpu.cp_async_commit
  // What is behind a wait for copies stays.
  gpu.cp_async_wait {outstanding = 1 : i64}
  gpu.cp_async %w[%t * 4] to %b[0, %t * 4] {bytes = 16 : i64} : memref<256xf32>, memref<2x128xf32, #loop.space<shared>>
  gpu.cp_async_commit
  gpu.cp_async_wait {outstanding = 0 : i64}
  gpu.end
}
