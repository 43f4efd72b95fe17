// RUN: dlc-opt %s --graph-fold-masks | filecheck %s

// A triangle of minus infinity, or of the lowest number, that is added.
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

// The first row sees two keys.
// CHECK-LABEL: @shifted
// CHECK:      %[[R:.*]] = graph.range {start = 1 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[I:.*]] = graph.reshape %[[R]] {sizes = array<i64: 4, 1>}
// CHECK-NEXT: %[[J:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[C:.*]] = graph.compare %[[J]], %[[I]] {predicate = "le"}
// CHECK-NEXT: %[[H:.*]] = graph.splat 0xff800000 : f32
// CHECK-NEXT: %[[X:.*]] = graph.where %[[C]], %s, %[[H]] : (tensor<4x4xi1>, tensor<3x4x4xf32>, tensor<f32>)
// CHECK-NEXT: graph.reduce_max %[[X]]
func.func @shifted(%q: tensor<3x4x8xf32>, %k: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x4xf32>
  %c = graph.constant dense<[[0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %x = graph.add %s, %c : (tensor<3x4x4xf32>, tensor<4x4xf32>) -> tensor<3x4x4xf32>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %d = graph.sub %x, %m : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %e = graph.exp %d : tensor<3x4x4xf32> -> tensor<3x4x4xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %w = graph.div %e, %t : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %y = graph.matmul %w, %k : (tensor<3x4x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}

// A choice by constant booleans, either way round.
// CHECK-LABEL: @chosen
// CHECK:      %[[R:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[I:.*]] = graph.reshape %[[R]] {sizes = array<i64: 4, 1>}
// CHECK-NEXT: %[[J:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[C:.*]] = graph.compare %[[J]], %[[I]] {predicate = "le"}
// CHECK-NEXT: %[[H:.*]] = graph.splat 0xff800000 : f32
// CHECK-NEXT: %[[X:.*]] = graph.where %[[C]], %s, %[[H]] : (tensor<4x4xi1>, tensor<3x4x4xf32>, tensor<f32>)
// CHECK-NEXT: graph.reduce_max %[[X]]
func.func @chosen(%q: tensor<3x4x8xf32>, %k: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x4xf32>
  %c = graph.constant dense<[[true, false, false, false], [true, true, false, false], [true, true, true, false], [true, true, true, true]]> : tensor<4x4xi1>
  %h = graph.constant dense<-3.40282347E+38> : tensor<f32>
  %x = graph.where %c, %s, %h : (tensor<4x4xi1>, tensor<3x4x4xf32>, tensor<f32>) -> tensor<3x4x4xf32>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %d = graph.sub %x, %m : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %e = graph.exp %d : tensor<3x4x4xf32> -> tensor<3x4x4xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %w = graph.div %e, %t : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %y = graph.matmul %w, %k : (tensor<3x4x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}

// CHECK-LABEL: @hidden
// CHECK:      %[[R:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[I:.*]] = graph.reshape %[[R]] {sizes = array<i64: 4, 1>}
// CHECK-NEXT: %[[J:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[C:.*]] = graph.compare %[[J]], %[[I]] {predicate = "le"}
// CHECK-NEXT: %[[H:.*]] = graph.splat 0xff800000 : f32
// CHECK-NEXT: %[[X:.*]] = graph.where %[[C]], %s, %[[H]] : (tensor<4x4xi1>, tensor<3x4x4xf32>, tensor<f32>)
// CHECK-NEXT: graph.reduce_max %[[X]]
func.func @hidden(%q: tensor<3x4x8xf32>, %k: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x4xf32>
  %c = graph.constant dense<[[false, true, true, true], [false, false, true, true], [false, false, false, true], [false, false, false, false]]> : tensor<4x4xi1>
  %h = graph.constant dense<0xFF800000> : tensor<f32>
  %x = graph.where %c, %h, %s : (tensor<4x4xi1>, tensor<f32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %d = graph.sub %x, %m : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %e = graph.exp %d : tensor<3x4x4xf32> -> tensor<3x4x4xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %w = graph.div %e, %t : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %y = graph.matmul %w, %k : (tensor<3x4x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}

// The same for each of a batch.
// CHECK-LABEL: @repeated
// CHECK:      %[[R:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[I:.*]] = graph.reshape %[[R]] {sizes = array<i64: 4, 1>}
// CHECK-NEXT: %[[J:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64}
// CHECK-NEXT: %[[C:.*]] = graph.compare %[[J]], %[[I]] {predicate = "le"}
// CHECK-NEXT: %[[H:.*]] = graph.splat 0xff800000 : f32
// CHECK-NEXT: %[[X:.*]] = graph.where %[[C]], %s, %[[H]] : (tensor<4x4xi1>, tensor<3x4x4xf32>, tensor<f32>)
// CHECK-NEXT: graph.reduce_max %[[X]]
func.func @repeated(%q: tensor<3x4x8xf32>, %k: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x4xf32>
  %c0 = graph.constant dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %c = graph.broadcast %c0 {sizes = array<i64: 3, 4, 4>} : tensor<4x4xf32> -> tensor<3x4x4xf32>
  %x = graph.add %c, %s : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %d = graph.sub %x, %m : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %e = graph.exp %d : tensor<3x4x4xf32> -> tensor<3x4x4xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %w = graph.div %e, %t : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %y = graph.matmul %w, %k : (tensor<3x4x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}
