// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Four lanes have the elements of a row: what they come to goes to a part for each of two warps beside each other.
// A thread for each of 16 rows adds the parts up; both barriers are for all threads.

// CHECK-LABEL: loop.kernel @block
// CHECK:       %[[SUMS:.*]] = loop.alloc : memref<16xf32, #loop.space<shared>>
// CHECK:       %[[FOUND:.*]] = loop.alloc : memref<1xf32, #loop.space<register>>
// CHECK:       %[[PARTS:.*]] = loop.alloc : memref<2x16xf32, #loop.space<shared>>
// CHECK:       loop.for %{{.*}} = 0 to 2 kind = parallel map = unroll
// CHECK:         loop.store %zero, %[[FOUND]][0]
// CHECK:         arith.cmpi slt
// CHECK-NEXT:    scf.if
// CHECK:           arith.mulf
// CHECK-NEXT:      loop.load %[[FOUND]][0]
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      loop.store %{{.*}}, %[[FOUND]][0]
// CHECK:         gpu.shuffle xor %{{.*}}, 2 : f32
// CHECK:         gpu.shuffle xor %{{.*}}, 1 : f32
// CHECK:         scf.if
// CHECK-NEXT:      loop.store %{{.*}}, %[[PARTS]][
// CHECK:       gpu.barrier
// CHECK:       scf.if
// CHECK-NEXT:    %[[A:.*]] = loop.load %[[PARTS]][0, %t]
// CHECK-NEXT:    %[[B:.*]] = loop.load %[[PARTS]][1, %t]
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:    loop.store %[[SUM]], %[[SUMS]][%t]
// CHECK:       gpu.barrier
loop.kernel @block(%y: memref<13x16xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    %acc = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 1)>, #loop.space<register>>
    %sums = loop.alloc : memref<16xf32, #loop.space<shared>>
    %zero = arith.constant 0.000000e+00 : f32
    loop.total_rows %acc into %sums from %zero at [0, 0] within [13, 16] : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 1)>, #loop.space<register>>, memref<16xf32, #loop.space<shared>>, f32 {
    ^bb0(%row: index, %column: index, %v: f32):
      %q = arith.mulf %v, %v : f32
      loop.yield %q : f32
    } combine {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      loop.yield %c : f32
    }
    loop.yield
  }
  loop.end
}
