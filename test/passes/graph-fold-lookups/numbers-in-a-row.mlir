// RUN: dlc-opt %s --graph-fold-lookups | filecheck %s

// Numbers in a row, with room behind each.
// CHECK-LABEL: @numbers_in_a_row
// CHECK:         graph.reshape %x
func.func @numbers_in_a_row(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %n = graph.range {start = 0 : i64, step = 1 : i64, size = 3 : i64} -> tensor<3xi64>
  %r = graph.reshape %n {sizes = array<i64: 3, 1>} : tensor<3xi64> -> tensor<3x1xi64>
  %p = graph.pad %r {mode = "constant", value = 0 : i64, low = array<i64: 0, 0>, high = array<i64: 0, 1>} : tensor<3x1xi64> -> tensor<3x2xi64>
  %s = graph.slice %p {starts = array<i64: 0, 0>, stops = array<i64: 3, 1>, steps = array<i64: 1, 1>} : tensor<3x2xi64> -> tensor<3x1xi64>
  %i = graph.reshape %s {sizes = array<i64: 3>} : tensor<3x1xi64> -> tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: @numbers_backwards
// CHECK:         graph.gather %x
func.func @numbers_backwards(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %i = graph.range {start = 2 : i64, step = -1 : i64, size = 3 : i64} -> tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: @numbers_that_data_tells
// CHECK:         graph.gather %x
func.func @numbers_that_data_tells(%x: tensor<3x8xf32>, %n: tensor<3x1xi64>) -> tensor<3x8xf32> {
  %i = graph.reshape %n {sizes = array<i64: 3>} : tensor<3x1xi64> -> tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// What is computed of numbers is not followed back: their sum may be larger than the type.
// CHECK-LABEL: @sums
// CHECK:         graph.gather %x
func.func @sums(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %n = graph.range {start = 0 : i64, step = 1 : i64, size = 3 : i64} -> tensor<3xi64>
  %z = graph.constant dense<0> : tensor<3xi64>
  %i = graph.add %n, %z : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}
