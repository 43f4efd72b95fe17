// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// A condition that is the same for all neighbours stands around a loop of its own; what the branch
// reads is computed within. One that falls between neighbours stays where it is.

// CHECK-LABEL: loop.kernel @between_runs
// CHECK:       %[[C:.*]] = arith.cmpi sge
// CHECK-NEXT:  scf.if %[[C]] {
// CHECK-NEXT:    loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector
// CHECK-NEXT:      %[[E:.*]] = loop.load %{{.*}}[0, %[[V]] floordiv 2
// CHECK-NEXT:      %[[D:.*]] = arith.addf %[[E]], %[[E]]
// CHECK-NEXT:      loop.store %[[D]], %y[{{.*}} + %[[V]] - 16]
loop.kernel @between_runs(%y: memref<16x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>>
    loop.drain %acc at [0, 0] within [16, 32] : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      %d = arith.addf %v, %v : f32
      %from = arith.constant 16 : index
      %inside = arith.cmpi sge, %j, %from : index
      scf.if %inside {
        loop.store %d, %y[%i, %j - 16] : f32 -> memref<16x16xf16>
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// CHECK-LABEL: loop.kernel @inside_a_run
// CHECK:       loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector
// CHECK:         %[[C:.*]] = arith.cmpi sge
// CHECK-NEXT:    scf.if %[[C]] {
// CHECK-NEXT:      loop.store
loop.kernel @inside_a_run(%y: memref<16x13xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>>
    loop.drain %acc at [0, 0] within [16, 32] : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      %from = arith.constant 19 : index
      %inside = arith.cmpi sge, %j, %from : index
      scf.if %inside {
        loop.store %v, %y[%i, %j - 19] : f32 -> memref<16x13xf16>
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
