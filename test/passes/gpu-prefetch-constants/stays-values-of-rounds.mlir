// RUN: dlc-opt --gpu-prefetch-constants %s | filecheck %s
// CHECK-NOT: gpu.prefetch_tensor

// What an operation in a loop needs for the place.
gpu.kernel @needed(%x: memref<512x768xf16>, %w: memref<512x768xf16>, %n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %slices = arith.constant 12 : index
  gpu.griddepcontrol_wait
  %p = loop.index [%t * 64]
  scf.for %k = %zero to %slices step %one {
    %q = loop.index [%p + %k]
    gpu.tensor_copy %w[%q, %k * 64] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
  }
  gpu.end
}

// Where a loop begins.
gpu.kernel @start(%x: memref<512x768xf16>, %w: memref<512x768xf16>, %n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %slices = arith.constant 12 : index
  gpu.griddepcontrol_wait
  %p = loop.index [%t * 64]
  scf.for %k = %p to %slices step %one {
    gpu.tensor_copy %w[0, %k * 64] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
  }
  gpu.end
}

// A place that a loop carries from round to round.
gpu.kernel @carried(%x: memref<512x768xf16>, %w: memref<512x768xf16>, %n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %slices = arith.constant 12 : index
  gpu.griddepcontrol_wait
  %last = scf.for %k = %zero to %slices step %one iter_args(%p = %zero) -> (index) {
    gpu.tensor_copy %w[0, %p * 64] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
    %q = loop.index [%p + 1]
    scf.yield %q : index
  }
  gpu.end
}
