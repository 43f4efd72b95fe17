// RUN: dlc-opt --gpu-merge-loads %s | filecheck %s

// Inputs that are constant are merged by the compiler of the text.
// CHECK: gpu.kernel @constant
// CHECK-COUNT-2: loop.load %w
gpu.kernel @constant(%w: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 0>} {
  %t = gpu.thread_id x : index
  %v = loop.load %w[%t] : memref<32xf32> -> f32
  %u = loop.load %w[%t] : memref<32xf32> -> f32
  %s = arith.addf %v, %u : f32
  loop.store %s, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}

// So are all of a kernel that begins when others have ended.
// CHECK: gpu.kernel @after
// CHECK-COUNT-2: loop.load %x
gpu.kernel @after(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %v = loop.load %x[%t] : memref<32xf32> -> f32
  %u = loop.load %x[%t] : memref<32xf32> -> f32
  %s = arith.addf %v, %u : f32
  loop.store %s, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}
