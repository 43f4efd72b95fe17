// RUN: dlc-opt --gpu-hoist-loads %s | filecheck %s

// Behind operations at which threads wait.
// CHECK: gpu.kernel @waits
// CHECK:      gpu.barrier
// CHECK-NEXT: loop.load %x[%t + 32]
gpu.kernel @waits(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %v = loop.load %x[%t] : memref<64xf32> -> f32
  loop.store %v, %y[%t] : f32 -> memref<64xf32>
  gpu.barrier
  %w = loop.load %x[%t + 32] : memref<64xf32> -> f32
  loop.store %w, %y[%t + 32] : f32 -> memref<64xf32>
  gpu.end
}

// A place that is loaded itself, from memory that is written.
// CHECK: gpu.kernel @place
// CHECK:      loop.store %v, %y[%t]
// CHECK-NEXT: %p = loop.load %y
// CHECK-NEXT: arith.fptosi
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: loop.load %x
gpu.kernel @place(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %v = loop.load %x[%t] : memref<64xf32> -> f32
  loop.store %v, %y[%t] : f32 -> memref<64xf32>
  %p = loop.load %y[%t] : memref<64xf32> -> f32
  %q = arith.fptosi %p : f32 to i32
  %k = arith.index_cast %q : i32 to index
  %w = loop.load %x[%k] : memref<64xf32> -> f32
  loop.store %w, %y[%t + 32] : f32 -> memref<64xf32>
  gpu.end
}

// More than there are registers for: of ten rounds the last one.
// CHECK: gpu.kernel @many
// CHECK:      gpu.copy %a_8[0] to %y
// CHECK-NEXT: %{{.*}} = arith.constant 4 : index
// CHECK-NEXT: %{{.*}} = gpu.register_alloc
// CHECK-NEXT: gpu.copy %x
// CHECK-NOT:  gpu.copy %x
gpu.kernel @many(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  scf.for %i = %zero to %five step %one {
    %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
    gpu.copy %x[%i * 4] to %a[0] {elements = 4 : i64} : memref<64xf32>, memref<4xf32, #loop.space<register>>
    gpu.copy %a[0] to %y[%i * 4] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64xf32>
  } {unroll}
  scf.for %i = %zero to %five step %one {
    %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
    gpu.copy %x[%i * 4 + 20] to %a[0] {elements = 4 : i64} : memref<64xf32>, memref<4xf32, #loop.space<register>>
    gpu.copy %a[0] to %y[%i * 4 + 20] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64xf32>
  } {unroll}
  gpu.end
}
