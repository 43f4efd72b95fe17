// RUN: dlc-opt --gpu-hoist-constant-copies %s | filecheck %s

// Over what some threads write there.
// CHECK: gpu.kernel @over_some
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: scf.if
// CHECK:      gpu.cp_async
gpu.kernel @over_some(%w: memref<32x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 512 : i64, constant_inputs = array<i64: 0>} {
  %b = gpu.shared_alloc {offset = 0 : i64} : memref<32x4xf32, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %first = arith.cmpi eq, %t, %zero : index
  gpu.griddepcontrol_wait
  scf.if %first {
    loop.store %none, %b[%t, 0] : f32 -> memref<32x4xf32, #loop.space<shared>>
  }
  gpu.cp_async %w[%t, 0] to %b[%t, 0] {bytes = 16 : i64} : memref<32x4xf32>, memref<32x4xf32, #loop.space<shared>>
  gpu.end
}

// Behind a barrier that is in a loop.
// CHECK: gpu.kernel @behind_rounds
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: scf.for
// CHECK:      gpu.cp_async
gpu.kernel @behind_rounds(%w: memref<32x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 512 : i64, constant_inputs = array<i64: 0>} {
  %b = gpu.shared_alloc {offset = 0 : i64} : memref<32x4xf32, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  gpu.griddepcontrol_wait
  scf.for %i = %zero to %two step %one {
    gpu.barrier
  }
  gpu.cp_async %w[%t, 0] to %b[%t, 0] {bytes = 16 : i64} : memref<32x4xf32>, memref<32x4xf32, #loop.space<shared>>
  gpu.end
}
