// RUN: dlc-opt %s --fuse=arch=cpu-avx2 | filecheck %s

// A map of one result would add 301,000 terms one after the other, on one core and without lanes.
// Reductions of different axes do not share a row, so each is a kernel of its own.

// CHECK:     strategy = "row"
// CHECK-NOT: strategy = "map"
// CHECK:     strategy = "row"
// CHECK-NOT: strategy = "map"
func.func @main(%flat: tensor<301000xf32>, %x: tensor<1000x301xf32>) -> tensor<f32> {
  %0 = graph.reduce_l2 %flat axes [0] : tensor<301000xf32> -> tensor<f32>
  %1 = graph.abs %x : tensor<1000x301xf32> -> tensor<1000x301xf32>
  %2 = graph.reduce_max %1 axes [0, 1] : tensor<1000x301xf32> -> tensor<f32>
  %3 = graph.div %0, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %3 : tensor<f32>
}
