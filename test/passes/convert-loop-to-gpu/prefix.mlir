// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// Lanes add what the lanes 1, 2, 4, .. before them have; the one before a lane then has what is before it, the
// last lane what its warp has. The second warp adds that of the first one.
// CHECK:      %[[T:.*]] = gpu.thread_id x
// CHECK:      %[[LANE:.*]] = loop.index [%[[T]] mod 32]
// CHECK:      gpu.shuffle up %{{.*}}, 1 : f32
// CHECK:      arith.select
// CHECK:      gpu.shuffle up %{{.*}}, 2 : f32
// CHECK:      gpu.shuffle up %{{.*}}, 4 : f32
// CHECK:      gpu.shuffle up %{{.*}}, 8 : f32
// CHECK:      gpu.shuffle up %{{.*}}, 16 : f32
// CHECK:      %[[THROUGH:.*]] = arith.select
// CHECK:      gpu.shuffle up %[[THROUGH]], 1 : f32
// CHECK:      %[[ALL:.*]] = gpu.shuffle index %[[THROUGH]], 31 : f32
// CHECK:      scf.if
// CHECK-NEXT:   loop.store %[[ALL]], %[[S:.*]][%[[T]] floordiv 32]
// CHECK:      loop.load %[[S]][0]
// CHECK:      loop.load %[[S]][1]
// CHECK-NOT:  loop.load %[[S]]
loop.kernel @sums(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64, threads = 64 : i64} {
  loop.for %b = 0 to 1 kind = parallel map = grid {
    %zero = arith.constant 0.0 : f32
    %part = loop.for %k = 0 to 64 kind = reduction map = thread iter_args(%a = %zero) -> (f32) {
      %v = loop.load %x[%k] : memref<64xf32> -> f32
      loop.yield %v : f32
    }
    %before, %all = loop.prefix %part, %zero over block : f32, f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      loop.yield %s : f32
    }
    loop.for %k = 0 to 64 kind = parallel map = thread {
      loop.store %before, %y[%k] : f32 -> memref<64xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
