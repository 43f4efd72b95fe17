// RUN: %roundtrip

// CHECK: gpu.kernel @k(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 0>, dependents} {
// CHECK-NEXT: gpu.griddepcontrol_wait
// CHECK-NEXT: gpu.griddepcontrol_launch_dependents
// CHECK-NEXT: gpu.end
gpu.kernel @k(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 0>, dependents} {
  gpu.griddepcontrol_wait
  gpu.griddepcontrol_launch_dependents
  gpu.end
}

// CHECK: gpu.kernel @prefetch
// CHECK: gpu.prefetch_tensor %x[%t * 64, 64] {map = #gpu.tensor_map<sizes = [512, 256], strides = [512], box = [64, 64]>} : memref<512x256xf16>
gpu.kernel @prefetch(%x: memref<512x256xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %t = gpu.thread_id x : index
  gpu.prefetch_tensor %x[%t * 64, 64] {map = #gpu.tensor_map<sizes = [512, 256], strides = [512], box = [64, 64]>} : memref<512x256xf16>
  gpu.end
}
