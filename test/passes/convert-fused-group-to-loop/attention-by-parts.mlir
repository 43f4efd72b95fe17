// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Two heads of a group share keys: their queries are rows of one tile. Blocks have every third part of the keys each, four
// steps of 16, of which those behind the last key bring zeros. The parts meet in scratch; rows that do not exist have no place there.

// CHECK:      loop.kernel @g({{.*}}: memref<3x3x2x20xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 1440>, threads = 32 : i64}
// CHECK:      loop.for %block = 0 to 9 kind = parallel map = grid
// CHECK:        %part = loop.index [%block mod 3]
// CHECK:        %tile = loop.index [%block floordiv 3]
// CHECK:          loop.stage %queries map
// CHECK:          loop.for %step = 0 to 4 kind = reduction map = serial attributes {pipeline = 2 : i64}
// CHECK:            arith.cmpi slt
// CHECK:            loop.load %k[%tile, %part * 64 + %step * 16 + %{{.*}}, %{{.*}}]
// CHECK:            arith.cmpi slt
// CHECK:            loop.load %v[%tile, %part * 64 + %step * 16 + %{{.*}}, %{{.*}}]
// CHECK:            loop.online_softmax %scores at [%part * 64 + %step * 16] within [181] for %sums
// CHECK:          %[[C:.*]] = gpu.counter_alloc : memref<3xi32>
// CHECK:          loop.drain_parts %sums through %{{.*}}[%tile, %part] counters %[[C]] at [0, 0] within [2, 16] :
// CHECK-NEXT:     ^bb0(%row: index, %column: index, %value: f32):
// CHECK-NEXT:       loop.store %value, %{{.*}}[%tile * 2 + %row, 0, %column]
func.func @main(%a: tensor<6x1x16xf16>, %b: tensor<3x181x16xf16>, %c: tensor<3x181x16xf16>) -> tensor<6x1x16xf16> {
  %y = fused_group.group @g(%a, %b, %c) : (tensor<6x1x16xf16>, tensor<3x181x16xf16>, tensor<3x181x16xf16>) -> tensor<6x1x16xf16> attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 16, step = 16, warps = 1, split = 3>} {
  ^bb0(%q: tensor<6x1x16xf16>, %k: tensor<3x181x16xf16>, %v: tensor<3x181x16xf16>):
    %s = graph.matmul %q, %k transpose_rhs shared 2 : (tensor<6x1x16xf16>, tensor<3x181x16xf16>) -> tensor<6x1x181xf16>
    %m = graph.reduce_max %s axes [2] keep_dims : tensor<6x1x181xf16> -> tensor<6x1x1xf16>
    %d = graph.sub %s, %m : (tensor<6x1x181xf16>, tensor<6x1x1xf16>) -> tensor<6x1x181xf16>
    %e = graph.exp %d : tensor<6x1x181xf16> -> tensor<6x1x181xf16>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<6x1x181xf16> -> tensor<6x1x1xf16>
    %w = graph.div %e, %t : (tensor<6x1x181xf16>, tensor<6x1x1xf16>) -> tensor<6x1x181xf16>
    %o = graph.matmul %w, %v shared 2 : (tensor<6x1x181xf16>, tensor<3x181x16xf16>) -> tensor<6x1x16xf16>
    fused_group.yield %o : tensor<6x1x16xf16>
  }
  func.return %y : tensor<6x1x16xf16>
}
