// RUN: dlc-opt %s --gpu-hoist-choices | filecheck %s

// What the loop computes of nothing that changes in it decides once, too, wherever the limit is; what only
// the condition needed goes.
// CHECK-LABEL: @same_for_all
// CHECK:      gpu.register_alloc
// CHECK:      %[[C:.*]] = arith.cmpi slt
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NOT:  arith.cmpi
gpu.kernel @same_for_all(%x: memref<128xf32>, %y: memref<128xf32>, %o: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 5 : index
  scf.for %v = %low to %eight step %one {
    %at = loop.index [%t * 3]
    %c = arith.cmpi slt, %at, %limit : index
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

// Not so what is loaded there.
// CHECK-LABEL: @loaded
// CHECK-NOT:   gpu.register_alloc
gpu.kernel @loaded(%p: memref<8xi64>, %x: memref<128xf32>, %y: memref<128xf32>, %o: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 8 : index
  scf.for %v = %low to %eight step %one {
    %n = loop.load %p[%v] : memref<8xi64> -> i64
    %at = arith.index_cast %n : i64 to index
    %c = arith.cmpi slt, %at, %limit : index
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
