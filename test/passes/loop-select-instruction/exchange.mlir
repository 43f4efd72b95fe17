// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Each thread writes its pairs to a tile in shared memory, whose rows are 8 longer; then neighbours
// take four neighbours of a row each, eight threads a row.

// CHECK-LABEL: loop.kernel @exchanged
// CHECK:       %[[S:.*]] = loop.alloc : memref<16x40xf32, #loop.space<shared>>
// CHECK-NEXT:  gpu.barrier
// CHECK:       loop.for %[[V:.*]] = 0 to 2 kind = parallel map = vector
// CHECK:         loop.store %{{.*}}, %[[S]][
// CHECK:       gpu.barrier
// CHECK:       loop.for %[[R:.*]] = 0 to 4 kind = parallel map = unroll
// CHECK:         loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector
// CHECK-NEXT:      %[[E:.*]] = loop.load %[[S]][%[[R]] * 4 + %{{.*}} floordiv 8, %{{.*}} mod 8 * 4 + %[[V]]]
// CHECK-NEXT:      %[[D:.*]] = arith.addf %[[E]], %[[E]]
// CHECK-NEXT:      loop.store %[[D]], %y[
loop.kernel @exchanged(%y: memref<16x32xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>
    loop.drain %acc at [0, 0] within [16, 32] {exchange} : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      %d = arith.addf %v, %v : f32
      loop.store %d, %y[%i, %j] : f32 -> memref<16x32xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// Columns in odd numbers are taken one by one: lanes are neighbours all the same.

// CHECK-LABEL: loop.kernel @odd
// CHECK-NOT:   map = vector
// CHECK:       gpu.barrier
// CHECK-NOT:   map = vector
// CHECK:       loop.end
loop.kernel @odd(%y: memref<16x31xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x32xf32, #loop.spread<instruction = "fma", map = spatial(2, 16) * repeat(8, 2)>, #loop.space<register>>
    loop.drain %acc at [0, 0] within [16, 31] {exchange} : memref<16x32xf32, #loop.spread<instruction = "fma", map = spatial(2, 16) * repeat(8, 2)>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      loop.store %v, %y[%i, %j] : f32 -> memref<16x31xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
