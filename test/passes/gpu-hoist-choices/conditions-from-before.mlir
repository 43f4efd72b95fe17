// RUN: dlc-opt %s --gpu-hoist-choices | filecheck %s

// A condition from before the loop is used as it is, whatever gives it.
// CHECK-LABEL: @before
// CHECK:      %c = arith.cmpi slt, %t, %limit
// CHECK-NEXT: gpu.register_alloc
// CHECK-NEXT: scf.if %c {
gpu.kernel @before(%x: memref<128xf32>, %y: memref<128xf32>, %o: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 5 : index
  %c = arith.cmpi slt, %t, %limit : index
  scf.for %v = %low to %eight step %one {
    %d = scf.if %c -> (f32) {
      %a = loop.load %x[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %a : f32
    } else {
      %b = loop.load %y[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %b : f32
    }
    loop.store %d, %o[%t * 8 + %v] : f32 -> memref<128xf32>
  } {unroll}
  gpu.end
}

// CHECK-LABEL: @carried
// CHECK:      scf.for {{.*}} iter_args(%c = {{.*}}) -> (i1)
// CHECK-NEXT:   gpu.register_alloc
// CHECK-NEXT:   scf.if %c {
gpu.kernel @carried(%x: memref<128xf32>, %y: memref<128xf32>, %o: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  %r = scf.for %k = %low to %eight step %one iter_args(%c = %true) -> (i1) {
  scf.for %v = %low to %eight step %one {
    %d = scf.if %c -> (f32) {
      %a = loop.load %x[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %a : f32
    } else {
      %b = loop.load %y[%t * 8 + %v] : memref<128xf32> -> f32
      scf.yield %b : f32
    }
    loop.store %d, %o[%t * 8 + %v] : f32 -> memref<128xf32>
  } {unroll}
  scf.yield %true : i1
  }
  gpu.end
}
