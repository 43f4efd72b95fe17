// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// A block first makes the object that others send to, and tells them that it has begun. Where the loop meets, it waits for
// them; it sends its total to both, one thread to each, and waits for both totals to arrive at its own object.
// CHECK:      cluster = array<i64: 2, 1, 1>
// CHECK:      %[[O:.*]] = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
// CHECK:      scf.if
// CHECK-NEXT:   gpu.mbarrier_init %[[O]][0] {arrivals = 1 : i64}
// CHECK:      gpu.cluster_arrive
// CHECK:      gpu.cluster_wait
// CHECK:      gpu.shuffle xor %{{.*}}, 1 : f32
// CHECK:      %[[RANK:.*]] = gpu.cluster_rank : index
// CHECK:      scf.if
// CHECK:        gpu.st_async %{{.*}}[0] to %[[S:.*]][%[[RANK]]] at %[[O]][0] of %{{.*}} {elements = 1 : i64}
// CHECK:      scf.if
// CHECK-NEXT:   gpu.mbarrier_arrive %[[O]][0] {bytes = 8 : i64}
// CHECK:      gpu.mbarrier_wait %[[O]][0] parity
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.load %[[S]][0]
// CHECK-NEXT: loop.load %[[S]][1]
// CHECK-NOT:  gpu.cluster_barrier
loop.kernel @both(%x: memref<2x64xf32>, %y: memref<2x64xf32>) attributes {outputs = 1 : i64, threads = 64 : i64, cluster = 2 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    loop.meet
    %zero = arith.constant 0.0 : f32
    %part = loop.for %k = 0 to 64 kind = reduction map = thread iter_args(%a = %zero) -> (f32) {
      %v = loop.load %x[%b, %k] : memref<2x64xf32> -> f32
      loop.yield %v : f32
    }
    %sum = loop.combine %part over cluster : f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      loop.yield %s : f32
    }
    loop.for %k = 0 to 64 kind = parallel map = thread {
      loop.store %sum, %y[%b, %k] : f32 -> memref<2x64xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
