// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Steps of 16 keys, and one key more: what was added up is multiplied by how much less it weighs beside the largest
// score so far. Two tiles of queries below each other read the same keys.

// CHECK-LABEL: loop.kernel @g
// CHECK:         loop.store {{.*}}, %totals
// CHECK:         loop.store {{.*}}, %largest
// CHECK:         loop.store {{.*}}, %sums
// CHECK:         loop.for %[[S:.*]] = 0 to 2 until %{{.*}} kind = reduction map = serial {
// CHECK:           loop.for %[[N:.*]] = 0 to 4 until %{{.*}} kind = reduction
// CHECK-NEXT:        loop.for %[[T:.*]] = 0 to 2 kind = parallel map = serial
// CHECK:               loop.load_vector %{{.*}}[%batch, %[[S]] * 4 + %[[N]], %{{.*}}, 0] : memref<2x9x5x4xf32>
// CHECK-NEXT:          loop.load %queries[%[[T]] * 2, %{{.*}}]
// CHECK:           loop.for %[[R:.*]] = 0 to 4 kind = parallel map = serial
// CHECK:             %[[BEFORE:.*]] = loop.load %largest[%[[R]], 0]
// CHECK-NEXT:        %[[NOW:.*]] = arith.maximumf %[[BEFORE]], %{{.*}}
// CHECK-NEXT:        loop.store %[[NOW]], %largest[%[[R]], 0]
// CHECK:             %[[SHIFT:.*]] = arith.select
// CHECK:             %[[BEHIND:.*]] = arith.subf %[[BEFORE]], %[[SHIFT]]
// CHECK-NEXT:        %[[FACTOR:.*]] = math.exp %[[BEHIND]]
// CHECK-NEXT:        loop.store %[[FACTOR]], %factors[%[[R]], 0]
// CHECK:           %[[F:.*]] = loop.load %factors
// CHECK:           %[[V:.*]] = loop.load_vector %sums
// CHECK-NEXT:      arith.mulf %[[V]], %{{.*}} : vector<4xf32>
// CHECK:         scf.if
// CHECK:           loop.load_vector %{{.*}}[%batch, 8, %{{.*}}, 0] : memref<2x9x5x4xf32>
// CHECK:           loop.load_vector %{{.*}}[%batch, %{{.*}}, 32, 0] : memref<2x2x33x4xf32>
// CHECK:         arith.divf
func.func @main(%a: tensor<2x9x5xf32>, %b: tensor<2x33x5xf32>, %c: tensor<2x33x8xf32>) -> tensor<2x9x8xf32> {
  %y = fused_group.group @g(%a, %b, %c) : (tensor<2x9x5xf32>, tensor<2x33x5xf32>, tensor<2x33x8xf32>) -> tensor<2x9x8xf32> attributes {schedule = #loop.schedule<strategy = "attention", target = "cpu", tile = [2, 4], lanes = 4, tiles = 2, step = 16>} {
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
