// RUN: dlc-opt --gpu-prefetch-constants %s | filecheck %s
// CHECK-NOT: gpu.prefetch_tensor

// The condition comes behind the wait.
gpu.kernel @condition(%x: memref<512x768xf16>, %w: memref<512x768xf16>, %n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %slices = arith.constant 12 : index
  gpu.griddepcontrol_wait
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    gpu.tensor_copy %w[0, 0] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
  }
  gpu.end
}

// So does the second of two conditions, in the first.
gpu.kernel @inner(%x: memref<512x768xf16>, %w: memref<512x768xf16>, %n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %slices = arith.constant 12 : index
  gpu.griddepcontrol_wait
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    %also = arith.cmpi eq, %zero, %one : index
    scf.if %also {
      gpu.tensor_copy %w[0, 0] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
    }
  }
  gpu.end
}

// The place of the copy.
gpu.kernel @place(%x: memref<512x768xf16>, %w: memref<512x768xf16>, %n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %slices = arith.constant 12 : index
  gpu.griddepcontrol_wait
  %p = loop.index [%t * 64]
  gpu.tensor_copy %w[%p, 0] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
  gpu.end
}
