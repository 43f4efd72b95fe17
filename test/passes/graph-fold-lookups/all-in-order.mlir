// RUN: dlc-opt %s --graph-fold-lookups | filecheck %s

// A grid of places names each element once, in order.
// CHECK-LABEL: @grid
// CHECK:         %[[Y:.*]] = graph.reshape %x {{.*}} : tensor<2x3xi1> -> tensor<2x1x3xi1>
// CHECK-NEXT:    func.return %[[Y]]
func.func @grid(%x: tensor<2x3xi1>) -> tensor<2x1x3xi1> {
  %i = graph.constant dense<[[[[0, 0], [0, 1], [0, 2]]], [[[1, 0], [1, -2], [1, 2]]]]> : tensor<2x1x3x2xi64>
  %y = graph.gather_nd %x, %i {batch_axes = 0 : i64} : (tensor<2x3xi1>, tensor<2x1x3x2xi64>) -> tensor<2x1x3xi1>
  func.return %y : tensor<2x1x3xi1>
}

// Whole rows in order.
// CHECK-LABEL: @rows
// CHECK:         graph.reshape %x
func.func @rows(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %i = graph.constant dense<[0, 1, 2]> : tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: @another_order
// CHECK:         graph.gather %x
func.func @another_order(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %i = graph.constant dense<[0, 2, 1]> : tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: @some_rows
// CHECK:         graph.gather %x
func.func @some_rows(%x: tensor<4x8xf32>) -> tensor<3x8xf32> {
  %i = graph.constant dense<[0, 1, 2]> : tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<4x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: @places_that_data_tells
// CHECK:         graph.gather %x, %i
func.func @places_that_data_tells(%x: tensor<3x8xf32>, %i: tensor<3xi64>) -> tensor<3x8xf32> {
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: @a_weight_without_bytes
// CHECK:         graph.gather %x
func.func @a_weight_without_bytes(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %i = graph.weight @unknown : tensor<3xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<3x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: @too_many
// CHECK:         graph.gather %x
func.func @too_many(%x: tensor<1x4194305xi8>) -> tensor<1x4194305xi8> {
  %i = graph.constant dense<[0]> : tensor<1xi64>
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<1x4194305xi8>, tensor<1xi64>) -> tensor<1x4194305xi8>
  func.return %y : tensor<1x4194305xi8>
}
