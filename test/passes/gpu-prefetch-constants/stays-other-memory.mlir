// RUN: dlc-opt --gpu-prefetch-constants %s | filecheck %s
// CHECK-NOT: gpu.prefetch_tensor

// Launches write what it copies.
gpu.kernel @written(%x: memref<512x768xf16>, %w: memref<512x768xf16>, %n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %slices = arith.constant 12 : index
  %first = arith.cmpi eq, %t, %zero : index
  gpu.griddepcontrol_wait
  scf.if %first {
    gpu.tensor_copy %x[0, 0] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
  }
  gpu.end
}

// A place that is loaded.
gpu.kernel @gathered(%x: memref<512x768xf16>, %w: memref<512x768xf16>, %n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %slices = arith.constant 12 : index
  %first = arith.cmpi eq, %t, %zero : index
  gpu.griddepcontrol_wait
  scf.for %k = %zero to %slices step %one {
    %m = loop.load %n[%t] : memref<4xi32> -> i32
    %p = arith.index_cast %m : i32 to index
    gpu.tensor_copy %w[0, %p * 64] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
  }
  gpu.end
}

// Pixels under windows: only boxes of tiles have a prefetch here.
gpu.kernel @windows(%w: memref<4x32x16x64xf16>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 0>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  gpu.griddepcontrol_wait
  gpu.tensor_copy %w[3, 2, 1, 0, 2, 1] to %s[0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [4, 32, 16, 64], strides = [65536, 2048, 128], box = [64, 64], lower_corner = [-1, -1], upper_corner = [-1, -1]>} : memref<4x32x16x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
  gpu.end
}
