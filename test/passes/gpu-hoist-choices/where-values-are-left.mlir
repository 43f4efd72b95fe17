// RUN: dlc-opt %s --gpu-hoist-choices | filecheck %s

// A choice leaves its values straight where the loop stores them only if these are registers, one for each
// neighbour in order.
// CHECK-LABEL: @memory
// CHECK:      gpu.register_alloc : memref<8xf16
gpu.kernel @memory(%x: memref<128xf16>, %y: memref<128xf16>, %o: memref<8xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 5 : index
  %c = arith.cmpi slt, %t, %limit : index
  scf.for %v = %low to %eight step %one {
    %d = scf.if %c -> (f32) {
      %a = loop.load %x[%t * 8 + %v] : memref<128xf16> -> f32
      scf.yield %a : f32
    } else {
      %b = loop.load %y[%t * 8 + %v] : memref<128xf16> -> f32
      scf.yield %b : f32
    }
    loop.store %d, %o[%v] : f32 -> memref<8xf16>
  } {unroll}
  gpu.end
}

// CHECK-LABEL: @turned
// CHECK:      %r = gpu.register_alloc
// CHECK:      gpu.register_alloc : memref<8xf16
gpu.kernel @turned(%x: memref<128xf16>, %y: memref<128xf16>, %o: memref<8xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 5 : index
  %r = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  %c = arith.cmpi slt, %t, %limit : index
  scf.for %v = %low to %eight step %one {
    %w = arith.subi %eight, %v : index
    %d = scf.if %c -> (f32) {
      %a = loop.load %x[%t * 8 + %v] : memref<128xf16> -> f32
      scf.yield %a : f32
    } else {
      %b = loop.load %y[%t * 8 + %v] : memref<128xf16> -> f32
      scf.yield %b : f32
    }
    loop.store %d, %r[%w] : f32 -> memref<8xf16, #loop.space<register>>
  } {unroll}
  gpu.end
}
