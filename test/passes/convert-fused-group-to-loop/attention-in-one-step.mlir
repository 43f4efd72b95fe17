// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// One step has all keys: it is no loop, so that queries, keys and values come together. What is added to scores is what
// their sums begin with: it is read meanwhile.

// CHECK:      loop.stage %queries map
// CHECK:      loop.stage %keys map
// CHECK:      loop.stage %values map
// CHECK:      %scores = loop.zero : memref<32x64xf32
// CHECK-NEXT: loop.map_accumulator %scores at [%tile_row * 32, 0] within [40, 53]
// CHECK:        loop.load %mask
// CHECK:      %held = loop.load_fragment %queries
// CHECK-NEXT: loop.contract %scores, %held, %keys transpose_rhs
// CHECK-NEXT: %sums = loop.zero : memref<32x32xf32
// CHECK-NEXT: loop.online_softmax %scores at [0] within [53] for %sums
// CHECK-NEXT: loop.contract %sums, %scores, %values :
// CHECK-NEXT: loop.normalize %sums :
func.func @main(%a: tensor<2x40x24xf16>, %b: tensor<53x2x24xf16>, %c: tensor<2x53x24xf16>, %n: tensor<40x53xf16>) -> tensor<40x2x24xf16> {
  %y = fused_group.group @g(%a, %b, %c, %n) : (tensor<2x40x24xf16>, tensor<53x2x24xf16>, tensor<2x53x24xf16>, tensor<40x53xf16>) -> tensor<40x2x24xf16> attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 32, step = 64, warps = 2, stages = 1, exchange = true>} {
  ^bb0(%q: tensor<2x40x24xf16>, %k: tensor<53x2x24xf16>, %v: tensor<2x53x24xf16>, %mask: tensor<40x53xf16>):
    %h = graph.transpose %k {permutation = array<i64: 1, 0, 2>} : tensor<53x2x24xf16> -> tensor<2x53x24xf16>
    %s = graph.matmul %q, %h transpose_rhs : (tensor<2x40x24xf16>, tensor<2x53x24xf16>) -> tensor<2x40x53xf16>
    %x = graph.add %s, %mask : (tensor<2x40x53xf16>, tensor<40x53xf16>) -> tensor<2x40x53xf16>
    %m = graph.reduce_max %x axes [2] keep_dims : tensor<2x40x53xf16> -> tensor<2x40x1xf16>
    %d = graph.sub %x, %m : (tensor<2x40x53xf16>, tensor<2x40x1xf16>) -> tensor<2x40x53xf16>
    %e = graph.exp %d : tensor<2x40x53xf16> -> tensor<2x40x53xf16>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<2x40x53xf16> -> tensor<2x40x1xf16>
    %w = graph.div %e, %t : (tensor<2x40x53xf16>, tensor<2x40x1xf16>) -> tensor<2x40x53xf16>
    %o = graph.matmul %w, %v : (tensor<2x40x53xf16>, tensor<2x53x24xf16>) -> tensor<2x40x24xf16>
    %z = graph.transpose %o {permutation = array<i64: 1, 0, 2>} : tensor<2x40x24xf16> -> tensor<40x2x24xf16>
    fused_group.yield %z : tensor<40x2x24xf16>
  }
  func.return %y : tensor<40x2x24xf16>
}
