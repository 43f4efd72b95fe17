// RUN: dlc-opt %s --gpu-check-order --verify-diagnostics

#tile = #gpu.tensor_map<sizes = [64, 64], strides = [64], box = [64, 64], swizzle = 128>
gpu.kernel @copies(%x: memref<64x64xf16>, %y: memref<64x64xf16>, %z: memref<64x64xf16>, %c: memref<1xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, scratch = array<i64: 8192, 4>, cooperative, filled = array<i64: 3>} {
  %t = gpu.thread_id x : index
  %v = arith.constant 0.0 : f32
  %s = gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  loop.store %v, %z[%t, 0] : f32 -> memref<64x64xf16>
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %full[0] {map = #tile} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  // expected-error@below {{copies a box of %z, which the kernel writes itself: the engine that does it sees nothing of that; copy by threads}}
  gpu.tensor_copy %z[0, 0] to %s[0, 0] at %full[0] {map = #tile} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}
