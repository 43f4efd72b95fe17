// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// Who only stores elements arrives as it has stored them. The registers of the loop are those of the roles; each of four
// warps that multiply arrives once.

// CHECK:         gpu.mbarrier_init %full[0] {arrivals = 128 : i64}
// CHECK:         gpu.mbarrier_init %empty[0] {arrivals = 4 : i64}
// CHECK:         loop.roles %t threads [128, 128] registers [200, 40] {
// CHECK-NOT:       cp_async_arrive
// CHECK:           gpu.mbarrier_arrive %full[
loop.kernel @g(%x: memref<64x144xf16>, %w: memref<8x144xf16>, %y: memref<64x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %acc = loop.zero : memref<64x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 4 : i64, producers = 4 : i64, registers = array<i64: 200, 40>} {
      loop.stage %a map = <repeat(4, 1) * spatial(16, 2) * repeat(1, 8)> : memref<64x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 16 + %j] : memref<64x144xf16> -> f32
        %d = arith.addf %e, %e : f32
        loop.yield %d : f32
      }
      loop.stage %b map = <spatial(8, 2) * repeat(1, 8)> : memref<8x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%i, %k * 16 + %j] : memref<8x144xf16> -> f32
        %d = arith.addf %e, %e : f32
        loop.yield %d : f32
      }
      loop.contract %acc, %a, %b transpose_rhs : memref<64x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<8x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
