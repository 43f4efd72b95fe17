// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Lanes that multiply for themselves stand over four columns in turn: with four turns interleaved, each
// has four neighbours.
// CHECK-LABEL: loop.kernel @lanes
// CHECK:       %[[R:.*]] = loop.alloc : memref<2x8xf32, #loop.space<register>>
// CHECK:       loop.store %{{.*}}, %[[R]]
// CHECK:       loop.for %[[I:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK-NEXT:    loop.for %[[G:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK-NEXT:      loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector
// CHECK-NEXT:        %[[E:.*]] = loop.load %[[R]][%[[I]], %[[G]] * 4 + %[[V]]]
// CHECK-NEXT:        loop.store %[[E]], %z[%[[I]] * 8 + %{{.*}} floordiv 4, %[[G]] * 16 + %{{.*}} mod 4 * 4 + %[[V]]]
loop.kernel @lanes(%z: memref<16x32xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x32xf32, #loop.spread<instruction = "fma", map = repeat(2, 8) * spatial(8, 4), interleave = 4>, #loop.space<register>>
    loop.drain %acc at [0, 0] within [16, 32] : memref<16x32xf32, #loop.spread<instruction = "fma", map = repeat(2, 8) * spatial(8, 4), interleave = 4>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      loop.store %v, %z[%i, %j] : f32 -> memref<16x32xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
