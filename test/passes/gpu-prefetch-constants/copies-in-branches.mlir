// RUN: dlc-opt --gpu-prefetch-constants %s | filecheck %s

// Each role waits for itself; where its copies begin is known before they part. The first copy is in no loop; which
// rounds the second one has is not known, so the first one is prefetched.
// CHECK: gpu.kernel @roles
// CHECK:      scf.if %first {
// CHECK-NEXT:   gpu.prefetch_tensor %w[%at, 0]
// CHECK-NEXT:   %[[P:.*]] = loop.index [%at + %zero]
// CHECK-NEXT:   gpu.prefetch_tensor %w[%[[P]], %zero * 64]
// CHECK-NEXT:   gpu.griddepcontrol_wait
// CHECK-NOT:    gpu.prefetch_tensor
gpu.kernel @roles(%x: memref<512x768xf16>, %w: memref<512x768xf16>, %n: memref<4xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 24832 : i64, constant_inputs = array<i64: 1>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<3x64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 24576 : i64} : memref<3xi64, #loop.space<shared>>
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %slices = arith.constant 12 : index
  %at = loop.index [%b * 64]
  %step = loop.index [%b + 1]
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    gpu.griddepcontrol_wait
    gpu.tensor_copy %w[%at, 0] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
    scf.for %k = %zero to %slices step %step {
      %p = loop.index [%at + %k]
      gpu.tensor_copy %w[%p, %k * 64] to %s[0, 0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [512, 768], strides = [1536], box = [64, 64]>} : memref<512x768xf16>, memref<3x64x64xf16, #loop.space<shared>>, memref<3xi64, #loop.space<shared>>
    }
  } else {
    gpu.griddepcontrol_wait
  }
  gpu.end
}
