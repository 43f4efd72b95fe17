// RUN: dlc-opt --gpu-insert-launch-waits %s | filecheck %s

// It begins when the launches before it have ended.
// CHECK: gpu.kernel @after
// CHECK-NOT: griddepcontrol
gpu.kernel @after(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %a = loop.load %x[%t] : memref<32xf32> -> f32
  loop.store %a, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}

// A person has said where it waits.
// CHECK: gpu.kernel @placed
// CHECK-NEXT: gpu.griddepcontrol_wait
// CHECK-NOT: griddepcontrol
gpu.kernel @placed(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>, dependents} {
  gpu.griddepcontrol_wait
  %t = gpu.thread_id x : index
  %a = loop.load %x[%t] : memref<32xf32> -> f32
  loop.store %a, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}
