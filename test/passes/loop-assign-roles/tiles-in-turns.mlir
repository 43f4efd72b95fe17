// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// Two teams take every other tile of a block. Before a team multiplies, it waits until the other one has multiplied the tile
// before: that one arrives after its loop over slices. Nobody is before the first tile. Slices are counted over all tiles.

// CHECK:        loop.for %t = 0 to 96 kind = parallel map = thread {
// CHECK:          gpu.mbarrier_init %turns[0] {arrivals = 1 : i64}
// CHECK:          loop.roles %t threads [32, 32, 32] {
// CHECK:            scf.for %[[A:.*]] = %block to %tiles step %{{.*}} {
// CHECK:              %[[P:.*]] = loop.index [(%[[A]] floordiv 6 + 1) mod 2]
// CHECK-NEXT:         gpu.mbarrier_wait %turns[0] parity %[[P]]
// CHECK-NEXT:         loop.for %k = 0 to 9
// CHECK:                gpu.mbarrier_wait %full[(%[[A]] floordiv 3 * 9 + %k) mod 4]
// CHECK:              gpu.mbarrier_arrive %turns[1]
// CHECK:          }, {
// CHECK:            %[[FIRST:.*]] = loop.index [%block + 3]
// CHECK:            scf.for %[[B:.*]] = %[[FIRST]] to %{{.*}} step %{{.*}} {
// CHECK:              %[[Q:.*]] = loop.index [%[[B]] floordiv 6]
// CHECK-NEXT:         gpu.mbarrier_wait %turns[1] parity %[[Q]]
// CHECK:              gpu.mbarrier_arrive %turns[0]
// CHECK:          }, {
// CHECK-NOT:          %turns
loop.kernel @g(%x: memref<112x144xf16>, %w: memref<8x144xf16>, %y: memref<112x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %block = 0 to 3 kind = parallel map = grid {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %tiles = arith.constant 7 : index
    %blocks = arith.constant 3 : index
    scf.for %tile = %block to %tiles step %blocks {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 4 : i64, producers = 1 : i64, turns = 2 : i64} {
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
    }
    loop.yield
  }
  loop.yield
  }
  loop.end
}
