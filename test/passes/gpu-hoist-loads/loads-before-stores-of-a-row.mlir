// RUN: dlc-opt --gpu-hoist-loads %s | filecheck %s

// Without a loop. What comes behind the store moves,
// with the index that it needs.
// CHECK: gpu.kernel @straight
// CHECK:      gpu.register_alloc
// CHECK-NEXT: gpu.copy %x[%t * 8]
// CHECK-NEXT: %[[K:.*]] = arith.addi
// CHECK-NEXT: %[[C:.*]] = gpu.register_alloc
// CHECK-NEXT: gpu.copy %x[%[[K]] * 4] to %[[C]][0]
// CHECK-NEXT: loop.load
// CHECK:      loop.store
// CHECK-NEXT: loop.load %[[C]][0]
gpu.kernel @straight(%x: memref<256xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %one = arith.constant 1 : index
  %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %x[%t * 8] to %a[0] {elements = 4 : i64} : memref<256xf32>, memref<4xf32, #loop.space<register>>
  %v = loop.load %a[0] : memref<4xf32, #loop.space<register>> -> f32
  loop.store %v, %y[%t * 2] : f32 -> memref<64xf32>
  %k = arith.addi %t, %one : index
  %b = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %x[%k * 4] to %b[0] {elements = 4 : i64} : memref<256xf32>, memref<4xf32, #loop.space<register>>
  %w = loop.load %b[0] : memref<4xf32, #loop.space<register>> -> f32
  loop.store %w, %y[%t * 2 + 1] : f32 -> memref<64xf32>
  gpu.end
}

// Without a load before it the store is passed, too.
// CHECK: gpu.kernel @store_first
// CHECK:      loop.load %x
// CHECK-NEXT: loop.store %zero, %y[%t * 2]
gpu.kernel @store_first(%x: memref<256xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %y[%t * 2] : f32 -> memref<64xf32>
  %w = loop.load %x[%t] : memref<256xf32> -> f32
  loop.store %w, %y[%t * 2 + 1] : f32 -> memref<64xf32>
  gpu.end
}
