// RUN: dlc-opt --gpu-hoist-invariants %s | filecheck %s

// What an await leaves in registers is loaded behind it, in each iteration; the await is one of each, too. A load of the
// published buffer stays behind it, though nothing of it is known to be written there.
// CHECK-LABEL: gpu.kernel @waits
// CHECK:         scf.for
// CHECK-NEXT:      gpu.await %y[%b, 0] to %r[0]
// CHECK-NEXT:      loop.load %r[0]
// CHECK-NEXT:      loop.load %y[%t, 0]
// CHECK:           gpu.publish %s[0] to %y[%t, 0]
gpu.kernel @waits(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.for %v = %zero to %four step %one {
    gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
    %a = loop.load %r[0] : memref<4xf32, #loop.space<register>> -> f32
    %c = loop.load %y[%t, 0] : memref<64x4xf32> -> f32
    %d = arith.addf %a, %c : f32
    loop.store %d, %s[%v] : f32 -> memref<4xf32, #loop.space<register>>
    gpu.publish %s[0] to %y[%t, 0] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64x4xf32>
  } {unroll}
  gpu.end
}
