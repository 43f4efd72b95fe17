// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// The object at which other blocks' bytes arrive is made before they are told that the block has begun.
// CHECK:      %[[O:.*]] = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
// CHECK:      scf.if
// CHECK-NEXT:   gpu.mbarrier_init %[[O]][0] {arrivals = 1 : i64}
// CHECK:      gpu.cluster_arrive
// CHECK:      gpu.cluster_wait
// CHECK-NEXT: %[[Z:.*]] = arith.constant 0 : index
// CHECK-NEXT: gpu.mbarrier_wait %[[O]][0] parity %[[Z]]
// CHECK-NOT:  loop.arrivals
loop.kernel @sent(%y: memref<2xf32>) attributes {outputs = 1 : i64, threads = 32 : i64, cluster = 2 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    loop.meet
    %o = loop.arrivals : memref<1xi64, #loop.space<shared>>
    %z = arith.constant 0 : index
    gpu.mbarrier_wait %o[0] parity %z : memref<1xi64, #loop.space<shared>>
    loop.yield
  }
  loop.end
}
