// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Each of four blocks writes the sums of the three rows that exist to its shared memory, and sends each run of four with the largest
// score and the total of its row. A row of 16 has four runs, so that a block finishes three of twelve: it waits for 4 parts x 3 runs x 24 bytes,
// looks for the largest score of the parts, adds them by their weights, divides, and runs the region.

// CHECK:       %[[RANK:.*]] = gpu.cluster_rank : index
// CHECK:       %[[S:.*]] = loop.alloc : memref<1x3x20xf32, #loop.space<shared>>
// CHECK-NEXT:  gpu.barrier
// CHECK:       loop.store %{{.*}}, %[[S]][
// CHECK:       gpu.barrier
// CHECK:       %[[ROOM:.*]] = loop.alloc : memref<4x3x8xf32, #loop.space<shared>>
// CHECK-NEXT:  loop.meet
// CHECK-NEXT:  %[[O:.*]] = loop.arrivals : memref<1xi64
// CHECK:       gpu.mbarrier_arrive %[[O]][0] {bytes = 288 : i64}
// CHECK:       gpu.st_async %{{.*}}[0] to %[[ROOM]][%[[RANK]], %{{.*}} mod 3, 0] at %[[O]][0] of %{{.*}} {elements = 4 : i64}
// CHECK:       gpu.st_async %{{.*}}[0] to %[[ROOM]][%[[RANK]], %{{.*}} mod 3, 4] at %[[O]][0] of %{{.*}} {elements = 2 : i64}
// CHECK:       gpu.mbarrier_wait %[[O]][0] parity
// CHECK-NOT:   gpu.cluster_barrier
// CHECK-NOT:   gpu.fence
// CHECK:       loop.for %{{.*}} = 0 to 4 kind = parallel map = unroll
// CHECK:         loop.load %[[ROOM]][%{{.*}}, %{{.*}}, 4]
// CHECK:         loop.load %[[ROOM]][%{{.*}}, %{{.*}}, 5]
// CHECK:       arith.maximumf
// CHECK:       math.exp2
// CHECK:       math.fma
// CHECK:       loop.store %{{.*}}, %y[%{{.*}}, (%[[RANK]] * 3 + %{{.*}}) floordiv 4
loop.kernel @parts(%y: memref<2x3x16xf16>) attributes {outputs = 1 : i64, cluster = 4 : i64} {
  loop.for %b = 0 to 8 kind = parallel map = grid {
    %n = loop.index [%b floordiv 4]
    loop.for %t = 0 to 32 kind = parallel map = thread {
      %o = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.drain_in_cluster %o rows 3 at [0, 0] within [3, 16] : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>> {
      ^bb0(%row: index, %column: index, %value: f32):
        loop.store %value, %y[%n, %row, %column] : f32 -> memref<2x3x16xf16>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
