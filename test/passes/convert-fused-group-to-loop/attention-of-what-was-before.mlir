// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Row i sees the keys up to i + 5. A block has as many steps as its last row sees keys in, at most all; by the
// schedule's order blocks with the most come first. The choice is made where weights are, and so is the factor before it.

// CHECK-LABEL: loop.kernel @g
// CHECK:      loop.for %block = 0 to 4 kind = parallel map = grid
// CHECK:        %batch = loop.index [%block mod 2]
// CHECK:        %tile_row = loop.index [%block floordiv 2 * -1 + 1]
// CHECK:          %[[N:.*]] = loop.index [%tile_row * 2 + 3]
// CHECK:          %until = arith.minsi %[[N]], %{{.*}} : index
// CHECK:          loop.stage %queries
// CHECK:          loop.for %step = 0 to 4 until %until kind = reduction
// CHECK:            loop.contract %scores, %held, %keys
// CHECK-NEXT:       loop.online_softmax %scores at [%step * 16, %tile_row * 32 + 5] within [53] for %sums {scale = 2.500000e-01 : f32}
func.func @main(%a: tensor<2x40x16xf16>, %b: tensor<2x53x16xf16>) -> tensor<2x40x16xf16> {
  %y = fused_group.group @g(%a, %b) : (tensor<2x40x16xf16>, tensor<2x53x16xf16>) -> tensor<2x40x16xf16> attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 32, step = 16, warps = 2, stages = 3, order = "last<2>">} {
  ^bb0(%q: tensor<2x40x16xf16>, %k: tensor<2x53x16xf16>):
    %s = graph.matmul %q, %k transpose_rhs : (tensor<2x40x16xf16>, tensor<2x53x16xf16>) -> tensor<2x40x53xf16>
    %f = graph.splat 2.500000e-01 : f16 -> tensor<f16>
    %c = graph.mul %s, %f : (tensor<2x40x53xf16>, tensor<f16>) -> tensor<2x40x53xf16>
    %r = graph.range {start = 5 : i64, step = 1 : i64, size = 40 : i64} -> tensor<40xi64>
    %i = graph.reshape %r {sizes = array<i64: 40, 1>} : tensor<40xi64> -> tensor<40x1xi64>
    %j = graph.range {start = 0 : i64, step = 1 : i64, size = 53 : i64} -> tensor<53xi64>
    %l = graph.compare %j, %i {predicate = "le"} : (tensor<53xi64>, tensor<40x1xi64>) -> tensor<40x53xi1>
    %h = graph.splat 0xfc00 : f16 -> tensor<f16>
    %x = graph.where %l, %c, %h : (tensor<40x53xi1>, tensor<2x40x53xf16>, tensor<f16>) -> tensor<2x40x53xf16>
    %m = graph.reduce_max %x axes [2] keep_dims : tensor<2x40x53xf16> -> tensor<2x40x1xf16>
    %d = graph.sub %x, %m : (tensor<2x40x53xf16>, tensor<2x40x1xf16>) -> tensor<2x40x53xf16>
    %e = graph.exp %d : tensor<2x40x53xf16> -> tensor<2x40x53xf16>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<2x40x53xf16> -> tensor<2x40x1xf16>
    %w = graph.div %e, %t : (tensor<2x40x53xf16>, tensor<2x40x1xf16>) -> tensor<2x40x53xf16>
    %z = graph.matmul %w, %k : (tensor<2x40x53xf16>, tensor<2x53x16xf16>) -> tensor<2x40x16xf16>
    fused_group.yield %z : tensor<2x40x16xf16>
  }
  func.return %y : tensor<2x40x16xf16>
}
