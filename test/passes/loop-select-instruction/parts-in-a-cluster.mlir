// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Each of two blocks sends its pairs of a row to the block that finishes the row: 8 of 16 rows each.
// Both wait until the other one has begun, and then for the bytes that arrive at their own object: 2 parts of 8 rows of 32.
// A block has 64 runs of four neighbours; the 32 threads take them in two rounds.

// CHECK-LABEL: loop.kernel @parts
// CHECK:       %[[RANK:.*]] = gpu.cluster_rank : index
// CHECK-NEXT:  %[[S:.*]] = loop.alloc : memref<2x8x40xf32, #loop.space<shared>>
// CHECK-NEXT:  loop.meet
// CHECK-NEXT:  %[[O:.*]] = loop.arrivals : memref<1xi64
// CHECK:       scf.if
// CHECK-NEXT:    gpu.mbarrier_arrive %[[O]][0] {bytes = 2048 : i64}
// CHECK:       loop.for %[[HALF:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK:         gpu.st_async %{{.*}}[0] to %[[S]][%[[RANK]], %{{.*}} floordiv 4, {{.*}}] at %[[O]][0] of %[[HALF]] {elements = 2 : i64}
// CHECK:       gpu.mbarrier_wait %[[O]][0] parity
// CHECK-NOT:   gpu.cluster_barrier
// CHECK:       loop.for %[[R:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK:         loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector
// CHECK-NEXT:      %[[A:.*]] = loop.load %[[S]][0, {{.*}}]
// CHECK-NEXT:      %[[B:.*]] = loop.load %[[S]][1, {{.*}}]
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:      loop.store %[[SUM]], %y[%[[RANK]] * 8 + {{.*}}
loop.kernel @parts(%y: memref<16x32xf16>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>
    loop.drain %acc at [0, 0] within [16, 32] {exchange, parts = 2 : i64} : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      loop.store %v, %y[%i, %j] : f32 -> memref<16x32xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// Where a block has fewer runs than threads, the others take none.

// CHECK-LABEL: loop.kernel @few
// CHECK:       gpu.mbarrier_wait
// CHECK:       %[[ONE:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK-NEXT:  scf.if %[[ONE]] {
// CHECK:         loop.store %{{.*}}, %y[
loop.kernel @few(%y: memref<16x8xf16>) attributes {outputs = 1 : i64, cluster = 8 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    loop.drain %acc at [0, 0] within [16, 8] {exchange, parts = 8 : i64} : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      loop.store %v, %y[%i, %j] : f32 -> memref<16x8xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
