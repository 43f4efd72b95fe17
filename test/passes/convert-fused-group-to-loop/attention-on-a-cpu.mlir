// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// A core takes 4 rows of queries at a time, and goes through the keys that the last of them sees: their scores stay
// in a buffer of its own, where a row of them becomes weights. Two blocks of 4 columns of values follow.

// CHECK-LABEL: loop.kernel @g
// CHECK:       loop.for {{.*}} = 0 to 80 kind = parallel map = cores
// CHECK:       loop.for {{.*}} = 0 to 10 kind = parallel map = cores
// CHECK:       loop.for {{.*}} = 0 to 132 kind = parallel map = cores
// CHECK:       loop.for {{.*}} = 0 to 6 kind = parallel map = cores {
// CHECK:         %queries = loop.alloc : memref<4x5xf32, #loop.space<register>>
// CHECK:           %[[LAST:.*]] = arith.constant 8 : index
// CHECK-NEXT:      %[[ROW:.*]] = loop.index [%block * 4 + %{{.*}}]
// CHECK-NEXT:      %[[AT:.*]] = arith.minsi %[[ROW]], %[[LAST]]
// CHECK:             loop.load %q[%batch, %[[AT]], %{{.*}}]
// CHECK:         %scores = loop.alloc : memref<4x40xf32
// CHECK:         %totals = loop.alloc : memref<4x1xf32
// CHECK-NEXT:    loop.index [%block + 7]
// CHECK:         loop.for %[[N:.*]] = 0 to 8 until %until kind = reduction map = serial {
// CHECK:           loop.for %{{.*}} = 0 to 5 kind = reduction
// CHECK-COUNT-4:     vector.fma
// CHECK:           loop.store_vector {{.*}}, %scores[3, %[[N]] * 4]
// CHECK:         loop.index [%block * -4 + 5]
// CHECK:         scf.if
// CHECK:           loop.store_vector {{.*}}, %scores[3, 32]
// CHECK:           arith.maximumf
// CHECK:           math.exp
// CHECK:           loop.store {{.*}}, %totals
// CHECK:         loop.for %[[C:.*]] = 0 to 2 kind = parallel map = serial
// CHECK:           loop.for %[[K:.*]] = 0 to 33 until {{.*}} kind = reduction
// CHECK-NEXT:        loop.load_vector %{{.*}}[%batch, %[[C]], %[[K]], 0] : memref<2x2x33x4xf32>
// CHECK-NEXT:        loop.load %scores[0, %[[K]]]
// CHECK:         loop.for {{.*}} = 0 to 8 kind = parallel map = vector
// CHECK:           arith.divf
// CHECK-NEXT:      loop.store {{.*}}[%batch, {{.*}}] : f32 -> memref<2x9x8xf32>
// CHECK-NOT:     map = cores
func.func @main(%a: tensor<2x9x5xf32>, %b: tensor<2x33x5xf32>, %c: tensor<2x33x8xf32>) -> tensor<2x9x8xf32> {
  %y = fused_group.group @g(%a, %b, %c) : (tensor<2x9x5xf32>, tensor<2x33x5xf32>, tensor<2x33x8xf32>) -> tensor<2x9x8xf32> attributes {schedule = #loop.schedule<strategy = "attention", target = "cpu", tile = [4, 4], lanes = 4, cores = true>} {
  ^bb0(%q: tensor<2x9x5xf32>, %k: tensor<2x33x5xf32>, %v: tensor<2x33x8xf32>):
    %s = graph.matmul %q, %k transpose_rhs : (tensor<2x9x5xf32>, tensor<2x33x5xf32>) -> tensor<2x9x33xf32>
    %i = graph.range {start = 24 : i64, step = 1 : i64, size = 9 : i64} -> tensor<9xi64>
    %r = graph.reshape %i {sizes = array<i64: 9, 1>} : tensor<9xi64> -> tensor<9x1xi64>
    %j = graph.range {start = 0 : i64, step = 1 : i64, size = 33 : i64} -> tensor<33xi64>
    %n = graph.constant dense<0xFF800000> : tensor<f32>
    %b0 = graph.compare %j, %r {predicate = "le"} : (tensor<33xi64>, tensor<9x1xi64>) -> tensor<9x33xi1>
    %x = graph.where %b0, %s, %n : (tensor<9x33xi1>, tensor<2x9x33xf32>, tensor<f32>) -> tensor<2x9x33xf32>
    %m = graph.reduce_max %x axes [2] keep_dims : tensor<2x9x33xf32> -> tensor<2x9x1xf32>
    %d = graph.sub %x, %m : (tensor<2x9x33xf32>, tensor<2x9x1xf32>) -> tensor<2x9x33xf32>
    %e = graph.exp %d : tensor<2x9x33xf32> -> tensor<2x9x33xf32>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<2x9x33xf32> -> tensor<2x9x1xf32>
    %w = graph.div %e, %t : (tensor<2x9x33xf32>, tensor<2x9x1xf32>) -> tensor<2x9x33xf32>
    %o = graph.matmul %w, %v : (tensor<2x9x33xf32>, tensor<2x33x8xf32>) -> tensor<2x9x8xf32>
    fused_group.yield %o : tensor<2x9x8xf32>
  }
  func.return %y : tensor<2x9x8xf32>
}
