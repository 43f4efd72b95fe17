// RUN: dlc-opt %s --graph-fold-masks | filecheck %s

// A triangle of minus infinity that is added.
// CHECK-LABEL: @added
// CHECK:      %[[R:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[I:.*]] = graph.reshape %[[R]] {sizes = array<i64: 4, 1>}
// CHECK-NEXT: %[[J:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[C:.*]] = graph.compare %[[J]], %[[I]] {predicate = "le"}
// CHECK-NEXT: %[[H:.*]] = graph.splat 0xff800000 : f32
// CHECK-NEXT: %[[X:.*]] = graph.where %[[C]], %s, %[[H]] : (tensor<4x4xi1>, tensor<3x4x4xf32>, tensor<f32>)
// CHECK-NEXT: graph.reduce_max %[[X]]
func.func @added(%q: tensor<3x4x8xf32>, %k: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x4xf32>
  %c = graph.constant dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %x = graph.add %s, %c : (tensor<3x4x4xf32>, tensor<4x4xf32>) -> tensor<3x4x4xf32>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %d = graph.sub %x, %m : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %e = graph.exp %d : tensor<3x4x4xf32> -> tensor<3x4x4xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %w = graph.div %e, %t : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %y = graph.matmul %w, %k : (tensor<3x4x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}

// A triangle of the lowest number that is added.
// CHECK-LABEL: @lowest
// CHECK:      %[[R:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[I:.*]] = graph.reshape %[[R]] {sizes = array<i64: 4, 1>}
// CHECK-NEXT: %[[J:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[C:.*]] = graph.compare %[[J]], %[[I]] {predicate = "le"}
// CHECK-NEXT: %[[H:.*]] = graph.splat 0xff800000 : f32
// CHECK-NEXT: %[[X:.*]] = graph.where %[[C]], %s, %[[H]] : (tensor<4x4xi1>, tensor<3x4x4xf32>, tensor<f32>)
// CHECK-NEXT: graph.reduce_max %[[X]]
func.func @lowest(%q: tensor<3x4x8xf32>, %k: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x4xf32>
  %c = graph.constant dense<[[0.0, -3.40282347E+38, -3.40282347E+38, -3.40282347E+38], [0.0, 0.0, -3.40282347E+38, -3.40282347E+38], [0.0, 0.0, 0.0, -3.40282347E+38], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %x = graph.add %s, %c : (tensor<3x4x4xf32>, tensor<4x4xf32>) -> tensor<3x4x4xf32>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %d = graph.sub %x, %m : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %e = graph.exp %d : tensor<3x4x4xf32> -> tensor<3x4x4xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %w = graph.div %e, %t : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %y = graph.matmul %w, %k : (tensor<3x4x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}
