// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// One thread starts the copies of all boxes of a slice: it expects their bytes, and is the only one that arrives.

// CHECK:      gpu.mbarrier_init %full[0] {arrivals = 1 : i64}
// CHECK:      loop.roles
// CHECK:        gpu.mbarrier_wait %full[
// CHECK-NOT:    gpu.async_fence
// CHECK:      }, {
// CHECK-NEXT: ^bb0(%[[T:.*]]: index):
// CHECK:        %[[FIRST:.*]] = arith.cmpi eq, %[[T]]
// CHECK-NEXT:   scf.if %[[FIRST]] {
// CHECK-NEXT:     loop.for %[[K:.*]] = 0 to 9
// CHECK:            gpu.mbarrier_wait %empty[%[[K]] mod 4]
// CHECK-NEXT:       gpu.mbarrier_arrive %full[%[[K]] mod 4] {bytes = 768 : i64}
// CHECK-NEXT:       loop.stage async tensor %a[%[[K]] mod 4] at %full[%[[K]] mod 4]
// CHECK:            loop.stage async tensor %b[%[[K]] mod 4] at %full[%[[K]] mod 4]
// CHECK-NOT:        cp_async_arrive
loop.kernel @g(%x: memref<16x144xf16>, %w: memref<8x144xf16>, %y: memref<16x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 4 : i64, producers = 1 : i64} {
      loop.stage tensor %a map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 16 + %j] : memref<16x144xf16> -> f32
        loop.yield %e : f32
      }
      loop.stage tensor %b map = <spatial(8, 2) * repeat(1, 8)> : memref<8x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%i, %k * 16 + %j] : memref<8x144xf16> -> f32
        loop.yield %e : f32
      }
      loop.contract %acc, %a, %b transpose_rhs : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<8x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
