// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// Neighbouring threads are of the 8 teams: thread t is of team t mod 8, its place there is t floordiv 8.
// The four of a team in a warp exchange at distances of 16 and 8; the first 8 lanes of each of two warps
// leave the totals of the 8 teams in shared memory.
loop.kernel @columns(%x: memref<80x8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %b = 0 to 1 kind = parallel map = grid {
    loop.for %c = 0 to 8 kind = parallel map = thread attributes {team = 8 : i64, apart} {
      %zero = arith.constant 0.0 : f32
      %part = loop.for %k = 0 to 80 kind = reduction map = thread iter_args(%a = %zero) -> (f32) {
        %v = loop.load %x[%k, %c] : memref<80x8xf32> -> f32
        %n = arith.addf %a, %v : f32
        loop.yield %n : f32
      }
      %total = loop.combine %part over team : f32 {
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        loop.yield %s : f32
      }
      loop.for %k = 0 to 1 kind = parallel map = thread {
        loop.store %total, %y[%c] : f32 -> memref<8xf32>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
// CHECK:      block = array<i64: 64, 1, 1>
// CHECK:      %[[S:.*]] = gpu.shared_alloc : memref<2x8xf32
// CHECK:      %[[T:.*]] = gpu.thread_id x
// CHECK:      %[[C:.*]] = loop.index [%[[T]] mod 8]
// CHECK:      %[[P:.*]] = loop.index [%[[T]] floordiv 8]
// CHECK:      scf.for %[[K:.*]] = %[[P]] to
// CHECK-NEXT:   loop.load %x[%[[K]], %[[C]]]
// CHECK:      gpu.shuffle xor %{{.*}}, 16 : f32
// CHECK:      gpu.shuffle xor %{{.*}}, 8 : f32
// CHECK-NOT:  gpu.shuffle
// CHECK:      scf.if
// CHECK-NEXT:   loop.store %{{.*}}, %[[S]][%[[T]] floordiv 32, %[[T]] mod 8]
// CHECK:      loop.load %[[S]][0, %[[T]] mod 8]
// CHECK:      loop.load %[[S]][1, %[[T]] mod 8]
// CHECK:      scf.if
// CHECK:          loop.store %{{.*}}, %y[%[[C]]]
