// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// Each block sends its total to both, one thread to each, and reads its own memory behind the barrier. The
// first barrier is there so that all blocks have begun; the second combination needs none.
// CHECK:      cluster = array<i64: 2, 1, 1>
// CHECK:      gpu.shuffle xor %{{.*}}, 1 : f32
// CHECK:      gpu.cluster_barrier
// CHECK:      %[[RANK:.*]] = gpu.cluster_rank : index
// CHECK:      scf.if
// CHECK:        gpu.cluster_store %{{.*}}[0] to %[[S:.*]][%[[RANK]]] of %{{.*}} {elements = 1 : i64}
// CHECK:      gpu.cluster_barrier
// CHECK-NEXT: loop.load %[[S]][0]
// CHECK-NEXT: %[[L:.*]] = loop.load %[[S]][1]
// CHECK:      gpu.cluster_rank
// CHECK-NOT:  gpu.cluster_barrier
// CHECK:      gpu.cluster_store
// CHECK:      gpu.cluster_barrier
// CHECK-NOT:  gpu.cluster_barrier
loop.kernel @both(%x: memref<2x32xf32>, %y: memref<2x32xf32>) attributes {outputs = 1 : i64, threads = 32 : i64, cluster = 2 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    %zero = arith.constant 0.0 : f32
    %part = loop.for %k = 0 to 32 kind = reduction map = thread iter_args(%a = %zero) -> (f32) {
      %v = loop.load %x[%b, %k] : memref<2x32xf32> -> f32
      loop.yield %v : f32
    }
    %sum = loop.combine %part over cluster : f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      loop.yield %s : f32
    }
    %most = loop.combine %part over cluster : f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.maximumf %l, %r : f32
      loop.yield %s : f32
    }
    loop.for %k = 0 to 32 kind = parallel map = thread {
      %q = arith.divf %sum, %most : f32
      loop.store %q, %y[%b, %k] : f32 -> memref<2x32xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
