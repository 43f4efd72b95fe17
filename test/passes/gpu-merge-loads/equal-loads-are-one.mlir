// RUN: dlc-opt --gpu-merge-loads %s | filecheck %s

// CHECK: gpu.kernel @vectors
// CHECK:      gpu.register_alloc
// CHECK-NEXT: %[[A:.*]] = gpu.register_alloc
// CHECK-NEXT: gpu.copy %x[%t * 4] to %[[A]][0]
// CHECK-NEXT: loop.load %[[A]][0]
// CHECK-NEXT: loop.load %[[A]][1]
// CHECK-NOT:  gpu.copy
gpu.kernel @vectors(%x: memref<128xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %s = gpu.register_alloc : memref<1xf32, #loop.space<register>>
  %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %x[%t * 4] to %a[0] {elements = 4 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
  %v = loop.load %a[0] : memref<4xf32, #loop.space<register>> -> f32
  %b = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %x[%t * 4] to %b[0] {elements = 4 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
  %w = loop.load %b[1] : memref<4xf32, #loop.space<register>> -> f32
  %u = arith.addf %v, %w : f32
  loop.store %u, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}

// One in a loop is that before it.
// CHECK: gpu.kernel @scalars
// CHECK:      %[[V:.*]] = loop.load %x[%t]
// CHECK:      scf.for
// CHECK-NEXT:   loop.store %[[V]], %y[%t, %{{.*}}]
gpu.kernel @scalars(%x: memref<32xf32>, %y: memref<32x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %v = loop.load %x[%t] : memref<32xf32> -> f32
  loop.store %v, %y[%t, 0] : f32 -> memref<32x4xf32>
  scf.for %i = %one to %four step %one {
    %w = loop.load %x[%t] : memref<32xf32> -> f32
    loop.store %w, %y[%t, %i] : f32 -> memref<32x4xf32>
  }
  gpu.end
}
