// RUN: dlc-opt --gpu-jam-unrolled %s | filecheck %s

// The loops change places in none of them: steps that wait come one after the other.
// CHECK-LABEL: gpu.kernel @inside
// CHECK:         scf.for %v = %zero to %four step %one {
// CHECK-NEXT:      %{{.*}} = scf.for %k
// CHECK-NEXT:        gpu.await
gpu.kernel @inside(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %z = arith.constant 0.0 : f32
  scf.for %v = %zero to %four step %one {
    %sum = scf.for %k = %zero to %four step %one iter_args(%a = %z) -> (f32) {
      gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
      %c = loop.load %r[%k] : memref<4xf32, #loop.space<register>> -> f32
      %d = arith.addf %a, %c : f32
      scf.yield %d : f32
    }
    loop.store %sum, %s[%v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}

// CHECK-LABEL: gpu.kernel @before
// CHECK:         scf.for %v = %zero to %four step %one {
// CHECK-NEXT:      gpu.await
// CHECK-NEXT:      %{{.*}} = scf.for %k
gpu.kernel @before(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %z = arith.constant 0.0 : f32
  scf.for %v = %zero to %four step %one {
    gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
    %sum = scf.for %k = %zero to %four step %one iter_args(%a = %z) -> (f32) {
      %c = loop.load %r[%k] : memref<4xf32, #loop.space<register>> -> f32
      %d = arith.addf %a, %c : f32
      scf.yield %d : f32
    }
    loop.store %sum, %s[%v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}
