// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s

// Neither a load nor a store of what threads exchange moves across the barrier in the loop.
// CHECK-LABEL: @exchange
// CHECK-NOT: gpu.copy
// CHECK:     gpu.end
gpu.kernel @exchange(%y: memref<32x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %t = gpu.thread_id x : index
  %value = arith.constant 1.0 : f32
  %s = gpu.shared_alloc : memref<32x4xf32, #loop.space<shared>>
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.for %i = %zero to %four step %one {
    loop.store %value, %s[%t, %i] : f32 -> memref<32x4xf32, #loop.space<shared>>
    gpu.barrier
  } {unroll}
  scf.for %i = %zero to %four step %one {
    gpu.barrier
    %a = loop.load %s[31 - %t, %i] : memref<32x4xf32, #loop.space<shared>> -> f32
    loop.store %a, %r[%i] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  %b = loop.load %r[0] : memref<4xf32, #loop.space<register>> -> f32
  loop.store %b, %y[%t, 0] : f32 -> memref<32x4xf32>
  gpu.end
}
