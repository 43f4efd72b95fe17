// RUN: dlc-opt --gpu-prefetch-constants %s | filecheck %s
// RUN: dlc-opt --gpu-prefetch-constants %s | dlc-opt -t cuda | filecheck %s --check-prefix=CUDA

// One thread walks tiles and slices. Before it waits, it prefetches as many slices of the first tile as there are
// slots: three of twelve. Copies of %x, which launches write, are not prefetched.
// CHECK: gpu.kernel @walk
// CHECK:      scf.if %first {
// CHECK-NEXT:   %[[P:.*]] = loop.index [%b * 64]
// CHECK-NEXT:   gpu.prefetch_tensor %w[%[[P]], %zero * 64] {map
// CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:   %[[Q:.*]] = loop.index [%b * 64]
// CHECK-NEXT:   gpu.prefetch_tensor %w[%[[Q]], %[[ONE]] * 64] {map
// CHECK-NEXT:   arith.constant 2 : index
// CHECK:        gpu.prefetch_tensor
// CHECK-NOT:    gpu.prefetch_tensor
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: scf.if %first {
// CHECK-NOT:  gpu.prefetch_tensor
// CUDA:      cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];
// CUDA:      prefetch_tensor_2d(&{{m[0-9]+}}, {{.*}}, 0);
// CUDA:      wait_for_launches();
gpu.kernel @walk(%x: memref<512x768xf16>, %w: memref<512x768xf16>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 49280 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %u = gpu.shared_alloc {offset = 24576 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 49152 : i64} : memref<3xi64, #loop.space<shared>>
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %t, %zero : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %tiles = arith.constant 8 : index
  %slices = arith.constant 12 : index
  gpu.griddepcontrol_wait
  scf.if %first {
    scf.for %i = %b to %tiles step %four {
      %p = loop.index [%i * 64]
      scf.for %k = %zero to %slices step %one {
        gpu.mbarrier_arrive %full[%k mod 3] {bytes = 16384 : i64} : memref<3xi64, #loop.space<shared>>
        gpu.tensor_copy %x[%p, %k * 64] to %s[%k mod 3, 0, 0] at %full[%k mod 3] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
        gpu.tensor_copy %w[%p, %k * 64] to %u[%k mod 3, 0, 0] at %full[%k mod 3] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
      }
    }
  }
  gpu.end
}
