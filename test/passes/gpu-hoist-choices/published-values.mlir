// RUN: dlc-opt --gpu-hoist-choices %s | filecheck %s

// A branch that waits is taken where it stands; so is one that loads what an await in the loop may change.
// CHECK-LABEL: gpu.kernel @waits
// CHECK:         scf.for
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        gpu.await
gpu.kernel @waits(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %low = arith.cmpi slt, %b, %one : index
  scf.for %v = %zero to %four step %one {
    %a = scf.if %low -> (f32) {
      gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
      %c = loop.load %r[0] : memref<4xf32, #loop.space<register>> -> f32
      scf.yield %c : f32
    } else {
      %c = loop.load %x[%t, %v] : memref<64x4xf32> -> f32
      scf.yield %c : f32
    }
    loop.store %a, %s[%v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}

// CHECK-LABEL: gpu.kernel @loads
// CHECK:         scf.for
// CHECK-NEXT:      gpu.await
// CHECK-NEXT:      scf.if
gpu.kernel @loads(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %low = arith.cmpi slt, %b, %one : index
  scf.for %v = %zero to %four step %one {
    gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
    %a = scf.if %low -> (f32) {
      %c = loop.load %r[%v] : memref<4xf32, #loop.space<register>> -> f32
      scf.yield %c : f32
    } else {
      %c = loop.load %x[%t, %v] : memref<64x4xf32> -> f32
      scf.yield %c : f32
    }
    loop.store %a, %s[%v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}
