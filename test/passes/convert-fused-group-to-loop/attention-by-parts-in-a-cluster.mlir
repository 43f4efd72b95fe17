// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// The blocks of a cluster have a quarter of the keys each, and all of them finish a part of the result: no scratch, and no counter.

// CHECK-NOT:  gpu.counter_alloc
// CHECK:      loop.kernel @g(%q: memref<6x1x16xf16>, %k: memref<3x181x16xf16>, %v: memref<3x181x16xf16>, %[[Y:.*]]: memref<6x1x16xf16>)
// CHECK-SAME:   attributes {outputs = 1 : i64, threads = 32 : i64, cluster = 4 : i64}
// CHECK-NEXT: loop.for %block = 0 to 12 kind = parallel map = grid
// CHECK-NEXT:   %part = loop.index [%block mod 4]
// CHECK-NEXT:   %tile = loop.index [%block floordiv 4]
// CHECK:          loop.for %step = 0 to 3 kind = reduction map = serial attributes {pipeline = 2 : i64}
// CHECK:            loop.load %k[%tile, %part * 48 + %step * 16 + %{{.*}}, %{{.*}}]
// CHECK:            loop.online_softmax %scores at [%part * 48 + %step * 16] within [181] for %sums
// CHECK-NOT:      gpu.counter_alloc
// CHECK-NOT:      loop.drain_parts
// CHECK:          loop.drain_in_cluster %sums rows 2 at [0, 0] within [2, 16] :
// CHECK-NEXT:     ^bb0(%row: index, %column: index, %value: f32):
// CHECK-NEXT:       loop.store %value, %[[Y]][%tile * 2 + %row, 0, %column]
// CHECK-NOT:      gpu.counter_alloc
func.func @main(%a: tensor<6x1x16xf16>, %b: tensor<3x181x16xf16>, %c: tensor<3x181x16xf16>) -> tensor<6x1x16xf16> {
  %y = fused_group.group @g(%a, %b, %c) : (tensor<6x1x16xf16>, tensor<3x181x16xf16>, tensor<3x181x16xf16>) -> tensor<6x1x16xf16> attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 16, step = 16, warps = 1, split = 4, exchange = true>} {
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
