// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Lines that come in reverse do not lie skewed in shared memory: the last line of a tile would not be the furthest one of
// the input. Elements come one by one.
// CHECK:      loop.kernel @g(%xi: memref<133x37xf16>, %{{.*}}: memref<37x133xf16>)
// CHECK:        %[[S:.*]] = loop.alloc : memref<47x17xf16, #loop.space<shared>>
// CHECK:        loop.for %[[N:.*]] = 0 to 752 kind = parallel map = thread attributes {straight} {
// CHECK-NEXT:     loop.load %xi[%{{.*}} mod 5 * -32 + %[[N]] floordiv 16 * -1 + 147, {{.*}} + %[[N]] mod 16]
// CHECK-NEXT:     loop.store %{{.*}}, %[[S]][%[[N]] floordiv 16, %[[N]] mod 16]
func.func @main(%x: tensor<133x37xf16>) -> tensor<37x133xf16> {
  %y = fused_group.group @g(%x) : (tensor<133x37xf16>) -> tensor<37x133xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 64, vector = 2, tile = [16, 32]>} {
  ^bb0(%xi: tensor<133x37xf16>):
    %s = graph.slice %xi {starts = array<i64: -1, 0>, stops = array<i64: -1000, 37>, steps = array<i64: -1, 1>} : tensor<133x37xf16> -> tensor<133x37xf16>
    %t = graph.transpose %s {permutation = array<i64: 1, 0>} : tensor<133x37xf16> -> tensor<37x133xf16>
    fused_group.yield %t : tensor<37x133xf16>
  }
  func.return %y : tensor<37x133xf16>
}
