// RUN: dlc-opt --gpu-hoist-loads %s | filecheck %s

// Both rounds load before the first one stores.
// CHECK: gpu.kernel @rounds
// CHECK:      %[[A:.*]] = gpu.register_alloc : memref<4xf32
// CHECK-NEXT: gpu.copy %x[%t * 8 + %[[I:.*]] * 4] to %[[A]][0]
// CHECK-NEXT: %[[J:.*]] = arith.constant 1
// CHECK-NEXT: %[[B:.*]] = gpu.register_alloc : memref<4xf32
// CHECK-NEXT: gpu.copy %x[%t * 8 + %[[J]] * 4] to %[[B]][0]
// CHECK-NEXT: %[[V:.*]] = loop.load %[[A]][0]
// CHECK:      loop.store %{{.*}}, %y[%t * 2 + %[[I]]]
// CHECK-NEXT: %[[W:.*]] = loop.load %[[B]][0]
// CHECK:      loop.store %{{.*}}, %y[%t * 2 + %[[J]]]
// CHECK-NOT:  scf.for
gpu.kernel @rounds(%x: memref<256xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
    gpu.copy %x[%t * 8 + %i * 4] to %a[0] {elements = 4 : i64} : memref<256xf32>, memref<4xf32, #loop.space<register>>
    %v = loop.load %a[0] : memref<4xf32, #loop.space<register>> -> f32
    %w = loop.load %a[3] : memref<4xf32, #loop.space<register>> -> f32
    %s = arith.addf %v, %w : f32
    loop.store %s, %y[%t * 2 + %i] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}
