// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// One of the threads that copy a tile starts the copy of the other one, too.

// CHECK:      gpu.mbarrier_init %full[0] {arrivals = 33 : i64}
// CHECK:      }, {
// CHECK:          gpu.mbarrier_wait %empty[
// CHECK:          scf.if %{{.*}} {
// CHECK-NEXT:       gpu.mbarrier_arrive %full[%{{.*}} mod 4] {bytes = 512 : i64}
// CHECK-NEXT:       loop.stage async tensor %a[
// CHECK:          }
// CHECK:          loop.stage async %b[
// CHECK:          gpu.cp_async_arrive %full[
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
      loop.stage %b map = <spatial(8, 2) * repeat(1, 8)> : memref<8x16xf16, #loop.space<shared>> {
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
