// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// A lane's four elements of a fragment are neighbours in scratch, as are those of neighbouring
// threads. One thread, which has met the others, has a fence on each side of the counter. The block that arrives last adds the parts up from zero
// and sets the counter back.

// CHECK:      loop.store %{{.*}}, %p[%tile, %part, %t * 4 + %{{.*}}] : f32
// CHECK:      gpu.barrier
// CHECK:      scf.if
// CHECK-NEXT:   gpu.fence
// CHECK:        gpu.atomic_add %{{.*}}, %c[%tile]
// CHECK-NEXT:   gpu.fence
// CHECK:      gpu.barrier
// CHECK:      %[[LAST:.*]] = arith.cmpi eq
// CHECK-NEXT: scf.if %[[LAST]] {
// CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   loop.for %[[I:.*]] = 0 to 4 kind = parallel map = unroll
// CHECK-NEXT:     loop.store %[[ZERO]], %[[SUM:.*]][0, 0, %[[I]]]
// CHECK:        loop.for %[[P:.*]] = 0 to 3 kind = parallel map = serial
// CHECK:          loop.load %[[SUM]]
// CHECK-NEXT:     loop.load %p[%tile, %[[P]], %t * 4 + %{{.*}}]
// CHECK:        loop.store %{{.*}}, %c[%tile] : i32
// CHECK:      scf.if %[[LAST]] {
// CHECK:        loop.store %{{.*}}, %y
loop.kernel @g(%y: memref<16x8xf32>, %p: memref<2x3x128xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 3072>} {
  loop.for %block = 0 to 6 kind = parallel map = grid {
    %tile = loop.index [%block floordiv 3]
    %part = loop.index [%block mod 3]
    loop.for %t = 0 to 32 kind = parallel map = thread {
      %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
      %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
      %b = loop.alloc : memref<16x8xf16, #loop.space<shared>>
      loop.contract %acc, %a, %b : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<16x8xf16, #loop.space<shared>>
      %c = gpu.counter_alloc : memref<2xi32>
      %last = loop.combine_parts %acc through %p[%tile, %part] counters %c : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<2x3x128xf32>, memref<2xi32>
      scf.if %last {
        loop.drain %acc at [0, 0] within [16, 8] : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>> {
        ^bb0(%i: index, %j: index, %v: f32):
          loop.store %v, %y[%i, %j] : f32 -> memref<16x8xf32>
          loop.yield
        }
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
