// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// In a cluster a part goes to all blocks, which wait for the bytes that arrive: 4 parts of 16 rows.

// CHECK-LABEL: loop.kernel @cluster
// CHECK:       %[[RANK:.*]] = gpu.cluster_rank : index
// CHECK:       %[[PARTS:.*]] = loop.alloc : memref<4x16xf32, #loop.space<shared>>
// CHECK-NEXT:  %[[O:.*]] = loop.arrivals : memref<1xi64
// CHECK:       gpu.mbarrier_arrive %[[O]][0] {bytes = 256 : i64}
// CHECK:       gpu.st_async %{{.*}}[0] to %[[PARTS]][%[[RANK]] * 2 + {{.*}}] at %[[O]][0] of %{{.*}} {elements = 1 : i64}
// CHECK:       gpu.st_async
// CHECK-NOT:   gpu.st_async
// CHECK-NOT:   gpu.barrier
// CHECK:       gpu.mbarrier_wait %[[O]][0] parity
// CHECK:       arith.maximumf
// CHECK-NEXT:  arith.maximumf
// CHECK-NEXT:  arith.maximumf
// CHECK-NEXT:  loop.store
// CHECK:       gpu.barrier
loop.kernel @cluster(%y: memref<16x32xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    %acc = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 1)>, #loop.space<register>>
    %sums = loop.alloc : memref<16xf32, #loop.space<shared>>
    %lowest = arith.constant -3.000000e+38 : f32
    loop.meet
    loop.total_rows %acc into %sums from %lowest at [0, 0] within [16, 32] cluster : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 1)>, #loop.space<register>>, memref<16xf32, #loop.space<shared>>, f32 {
    ^bb0(%row: index, %column: index, %v: f32):
      loop.yield %v : f32
    } combine {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      loop.yield %c : f32
    }
    loop.yield
  }
  loop.end
}
