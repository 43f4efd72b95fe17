// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// A block has 32 rows of queries in registers. Each step brings 16 keys and values, multiplies, computes what is between
// the products on the scores, makes weights of them and multiplies these. Queries of 24 elements are padded to 32, values to
// 32 columns, which are not stored. Keys and values are read where they stand.

// CHECK:      loop.kernel @g
// CHECK:      loop.for %block = 0 to 4 kind = parallel map = grid
// CHECK:        %batch = loop.index [%block floordiv 2]
// CHECK:        %tile_row = loop.index [%block mod 2]
// CHECK:        loop.for %thread = 0 to 64 kind = parallel map = thread
// CHECK:          loop.stage %queries map
// CHECK:            loop.load %q[%batch, %tile_row * 32 + %line, %place]
// CHECK:          %held = loop.load_fragment %queries : memref<32x32xf16, #loop.space<shared>> -> memref<32x32xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 4)>
// CHECK:          %sums = loop.zero : memref<32x32xf32
// CHECK:          %keys = loop.alloc : memref<16x32xf16, #loop.space<shared>>
// CHECK-NEXT:     %values = loop.alloc : memref<16x32xf16, #loop.space<shared>>
// CHECK-NEXT:     loop.for %step = 0 to 4 kind = reduction map = serial attributes {pipeline = 3 : i64}
// CHECK:            loop.load %k[%step * 16 + %{{.*}}, %batch, %{{.*}}] : memref<53x2x24xf16>
// CHECK:            loop.load %v[%batch, %step * 16 + %{{.*}}, %{{.*}}] : memref<2x53x24xf16>
// CHECK:            %scores = loop.zero : memref<32x16xf32
// CHECK-NEXT:       loop.contract %scores, %held, %keys transpose_rhs
// CHECK-NEXT:       loop.map_accumulator %scores at [%tile_row * 32, %step * 16] within [40, 53]
// CHECK-NEXT:       ^bb0(%[[I:.*]]: index, %[[J:.*]]: index, %[[V:.*]]: f32):
// CHECK-NEXT:         %[[M:.*]] = loop.load %mask[%[[I]], %[[J]]]
// CHECK-NEXT:         %[[X:.*]] = arith.addf %[[V]], %[[M]]
// CHECK-NEXT:         loop.yield %[[X]]
// CHECK:            loop.online_softmax %scores at [%step * 16] within [53] for %sums
// CHECK-NEXT:       loop.contract %sums, %scores, %values :
// CHECK-NEXT:       loop.yield
// CHECK:          loop.normalize %sums :
// CHECK-NEXT:     loop.drain %sums at [%tile_row * 32, 0] within [40, 24] {exchange}
// CHECK:            loop.store %value, %{{.*}}[%row, %batch, %column] : f32 -> memref<40x2x24xf16>
func.func @main(%a: tensor<2x40x24xf16>, %b: tensor<53x2x24xf16>, %c: tensor<2x53x24xf16>, %n: tensor<40x53xf16>) -> tensor<40x2x24xf16> {
  %y = fused_group.group @g(%a, %b, %c, %n) : (tensor<2x40x24xf16>, tensor<53x2x24xf16>, tensor<2x53x24xf16>, tensor<40x53xf16>) -> tensor<40x2x24xf16> attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 32, step = 16, warps = 2, stages = 3, exchange = true>} {
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
