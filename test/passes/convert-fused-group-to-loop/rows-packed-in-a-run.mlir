// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Eight rows of 25 elements are 50 pieces of 16 bytes, wherever each row starts. Pieces of the last block that are
// not whole do not come: its last elements come one by one, and go so. In between, teams have their rows. All pieces of a
// thread are under way together.
// CHECK:      loop.for %[[B:.*]] = 0 to 3 kind = parallel map = grid {
// CHECK:        %[[IN:.*]] = loop.alloc : memref<8x25xf32, #loop.space<shared>>
// CHECK:        %[[OUT:.*]] = loop.alloc : memref<8x25xf32, #loop.space<shared>>
// CHECK:        loop.for %[[P:.*]] = 0 to 50 kind = parallel map = thread attributes {straight}
// CHECK:          scf.if
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK-NEXT:         loop.load %xi[
// CHECK-NEXT:         loop.store %{{.*}}, %[[IN]][(%[[P]] * 4 + %[[V]]) floordiv 25, (%[[P]] * 4 + %[[V]]) mod 25]
// CHECK:        scf.if
// CHECK-NEXT:     loop.for %[[REST:.*]] = 0 to 3 kind = parallel map = thread {
// CHECK-NEXT:       loop.load %xi[
// CHECK-NEXT:       loop.store %{{.*}}, %[[IN]][
// CHECK:        loop.for %[[T:.*]] = 0 to 8 kind = parallel map = thread attributes {team = 4 : i64}
// CHECK:          loop.load %[[IN]][
// CHECK-NOT:      loop.load %xi
// CHECK:          loop.store %{{.*}}, %[[OUT]][%[[T]],
// CHECK:        loop.for %[[P:.*]] = 0 to 50 kind = parallel map = thread attributes {straight}
// CHECK:            loop.load %[[OUT]][(%[[P]] * 4
func.func @main(%x: tensor<23x25xf32>) -> tensor<23x25xf32> {
  %r = fused_group.group @g(%x) : (tensor<23x25xf32>) -> tensor<23x25xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 4, rows = 8, packed = true>} {
  ^bb0(%xi: tensor<23x25xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<23x25xf32> -> tensor<23x1xf32>
    %d = graph.sub %xi, %m : (tensor<23x25xf32>, tensor<23x1xf32>) -> tensor<23x25xf32>
    fused_group.yield %d : tensor<23x25xf32>
  }
  func.return %r : tensor<23x25xf32>
}
