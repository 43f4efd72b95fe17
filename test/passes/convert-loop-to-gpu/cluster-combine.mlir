// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// The blocks meet. Each sends its total to both, one thread to each, and reads its own memory behind the barrier.
// CHECK:      cluster = array<i64: 2, 1, 1>
// CHECK:      gpu.cluster_barrier
// CHECK:      gpu.shuffle xor %{{.*}}, 1 : f32
// CHECK:      %[[RANK:.*]] = gpu.cluster_rank : index
// CHECK:      scf.if
// CHECK:        gpu.cluster_store %{{.*}}[0] to %[[S:.*]][%[[RANK]]] of %{{.*}} {elements = 1 : i64}
// CHECK:      gpu.cluster_barrier
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
