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
// CHECK:              }
    loop.yield
  }
  loop.yield
  }
  loop.end
}
