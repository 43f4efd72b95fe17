// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// Slices are counted on from tile to tile: a block has brought nine for each tile before.

// CHECK:        loop.roles %t threads [32, 32] {
// CHECK:          scf.for %tile = %block to %tiles step %blocks {
// CHECK:            loop.for %k = 0 to 9
// CHECK-NEXT:         %[[P:.*]] = loop.index [(%tile floordiv 3 * 9 + %k) floordiv 4 mod 2]
// CHECK-NEXT:         gpu.mbarrier_wait %full[(%tile floordiv 3 * 9 + %k) mod 4] parity %[[P]]
// CHECK-NEXT:         loop.contract %acc, %a[(%tile floordiv 3 * 9 + %k) mod 4], %b[(%tile floordiv 3 * 9 + %k) mod 4]
// CHECK:            loop.drain %acc at [%tile * 16, 0]
// CHECK:        }, {
// CHECK:          scf.for %[[TILE:.*]] = %block to
// CHECK-NEXT:       loop.for %[[K:.*]] = 0 to 9
// CHECK-NEXT:         %[[Q:.*]] = loop.index [((%[[TILE]] floordiv 3 * 9 + %[[K]]) floordiv 4 + 1) mod 2]
// CHECK-NEXT:         gpu.mbarrier_wait %empty[(%[[TILE]] floordiv 3 * 9 + %[[K]]) mod 4] parity %[[Q]]
// CHECK:              gpu.cp_async_arrive %full[(%[[TILE]] floordiv 3 * 9 + %[[K]]) mod 4]
// CHECK-NOT:        loop.drain
loop.kernel @g(%x: memref<112x144xf16>, %w: memref<8x144xf16>, %y: memref<112x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %block = 0 to 3 kind = parallel map = grid {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %tiles = arith.constant 7 : index
    %blocks = arith.constant 3 : index
    scf.for %tile = %block to %tiles step %blocks {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 4 : i64, producers = 1 : i64} {
      loop.stage %a map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%tile * 16 + %i, %k * 16 + %j] : memref<112x144xf16> -> f32
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
    loop.drain %acc at [%tile * 16, 0] within [112, 8] : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>> {
    ^bb0(%row: index, %column: index, %v: f32):
      loop.store %v, %y[%row, %column] : f32 -> memref<112x8xf16>
      loop.yield
    }
    }
    loop.yield
  }
  loop.yield
  }
  loop.end
}
