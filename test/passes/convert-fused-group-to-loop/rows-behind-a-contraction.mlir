// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// What is added to the sums is completed first, where several ops need it: the residual is read once.
// Then its rows are totalled, by both blocks that have their columns, and finished with the total of each.

// CHECK:       loop.kernel @g0({{.*}}) attributes {outputs = 1 : i64, threads = 128 : i64, cluster = 2 : i64}
// CHECK:       %tile_row = loop.index [%block floordiv 2]
// CHECK-NEXT:  %tile_column = loop.index [%block mod 2]
// CHECK:       loop.contract
// CHECK:       loop.meet
// CHECK-NEXT:  loop.map_accumulator %accumulator at [%tile_row * 32, %tile_column * 64] within [45, 128]
// CHECK:         loop.load %c[%row, %column]
// CHECK-NEXT:    arith.addf %value
// CHECK-NEXT:    loop.yield
// CHECK:       %[[LOWEST:.*]] = arith.constant 0xff800000 : f32
// CHECK-NEXT:  %[[TOTALS:.*]] = loop.alloc : memref<32xf32, #loop.space<shared>>
// CHECK-NEXT:  loop.total_rows %accumulator into %[[TOTALS]] from %[[LOWEST]] at [%tile_row * 32, %tile_column * 64] within [45, 128] cluster
// CHECK:       } combine {
// CHECK:         maximum
// CHECK-NOT:   loop.total_rows
// CHECK:       loop.drain %accumulator
// CHECK-NOT:     loop.load %c
// CHECK:         %[[TOTAL:.*]] = loop.load %[[TOTALS]][%tile_row * -32 + %row{{.*}}]
// CHECK-NEXT:    arith.subf %value{{.*}}, %[[TOTAL]]
func.func @main(%x: tensor<45x64xf16>, %w: tensor<64x128xf16>, %r: tensor<45x128xf16>) -> tensor<45x128xf16> {
  %0 = fused_group.group @g0(%x, %w, %r) : (tensor<45x64xf16>, tensor<64x128xf16>, tensor<45x128xf16>) -> tensor<45x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 64, 32], warps = [1, 4], instruction = "mma.m16n8k16", stages = 3, row_blocks = 2>} {
  ^bb0(%a: tensor<45x64xf16>, %b: tensor<64x128xf16>, %c: tensor<45x128xf16>):
    %1 = graph.matmul %a, %b : (tensor<45x64xf16>, tensor<64x128xf16>) -> tensor<45x128xf16>
    %2 = graph.add %1, %c : (tensor<45x128xf16>, tensor<45x128xf16>) -> tensor<45x128xf16>
    %3 = graph.reduce_max %2 axes [1] keep_dims : tensor<45x128xf16> -> tensor<45x1xf16>
    %4 = graph.sub %2, %3 : (tensor<45x128xf16>, tensor<45x1xf16>) -> tensor<45x128xf16>
    fused_group.yield %4 : tensor<45x128xf16>
  }
  func.return %0 : tensor<45x128xf16>
}
