// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// One warp brings nine slices through a ring of four slots, another one multiplies them: each in its region, at the same
// time. The objects are made before the threads go apart. What brings slices has nothing else left of the body.

// CHECK:      loop.for %t = 0 to 64 kind = parallel map = thread {
// CHECK-NEXT:   %[[A:.*]] = loop.alloc : memref<4x16x16xf16, #loop.space<shared>>
// CHECK-NEXT:   %[[B:.*]] = loop.alloc : memref<4x8x16xf16, #loop.space<shared>>
// CHECK:          gpu.mbarrier_init %full[0] {arrivals = 32 : i64}
// CHECK:          gpu.mbarrier_init %empty[0] {arrivals = 1 : i64}
// CHECK:        gpu.barrier
// CHECK-NEXT:   loop.roles %t threads [32, 32] {
// CHECK:          %acc = loop.zero
// CHECK-NEXT:     loop.for %k = 0 to 9 kind = reduction map = serial {
// CHECK-NEXT:       %[[P:.*]] = loop.index [%k floordiv 4 mod 2]
// CHECK-NEXT:       gpu.mbarrier_wait %full[%k mod 4] parity %[[P]]
// CHECK-NEXT:       loop.contract %acc, %[[A]][%k mod 4], %[[B]][%k mod 4] transpose_rhs
// CHECK-NEXT:       gpu.warp_barrier
// CHECK:            scf.if
// CHECK-NEXT:         gpu.mbarrier_arrive %empty[%k mod 4]
// CHECK:          loop.drain %acc
// CHECK:        }, {
// CHECK:          loop.for %[[K:.*]] = 0 to 9 kind = reduction map = serial {
// CHECK-NEXT:       %[[Q:.*]] = loop.index [(%[[K]] floordiv 4 + 1) mod 2]
// CHECK-NEXT:       gpu.mbarrier_wait %empty[%[[K]] mod 4] parity %[[Q]]
// CHECK-NEXT:       loop.stage async %[[A]][%[[K]] mod 4] map
// CHECK:            loop.stage async %[[B]][%[[K]] mod 4] map
// CHECK:            gpu.cp_async_arrive %full[%[[K]] mod 4]
// CHECK-NOT:      loop.drain
loop.kernel @g(%x: memref<16x144xf16>, %w: memref<8x144xf16>, %y: memref<16x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 4 : i64, producers = 1 : i64} {
      loop.stage %a map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 16 + %j] : memref<16x144xf16> -> f32
        loop.yield %e : f32
      }
      loop.stage %b map = <spatial(8, 2) * repeat(1, 8)> : memref<8x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%i, %k * 16 + %j] : memref<8x144xf16> -> f32
        loop.yield %e : f32
      }
      loop.contract %acc, %a, %b transpose_rhs : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<8x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.drain %acc at [0, 0] within [16, 8] : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>> {
    ^bb0(%row: index, %column: index, %v: f32):
      loop.store %v, %y[%row, %column] : f32 -> memref<16x8xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
