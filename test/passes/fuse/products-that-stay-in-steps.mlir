// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_90a | filecheck %s

// One of two products in a row is in another type: their sums could not share registers.
// CHECK-LABEL: @several_types
// CHECK:         graph.step_loop
// CHECK:           all steps as one kernel: products of values of several types
func.func @several_types(%x: tensor<40x1x64xf16>, %s: tensor<1x64xf16>, %u: tensor<64x64xf16>, %v: tensor<64x64xf32>) -> tensor<40x1x64xf16> {
  %g, %y = graph.step_loop carry(%s) slice(%x) read(%u, %v) {steps = 40 : i64} : (tensor<1x64xf16>) (tensor<40x1x64xf16>) (tensor<64x64xf16>, tensor<64x64xf32>) -> tensor<1x64xf16>, tensor<40x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>, %n: tensor<64x64xf32>):
    %0 = graph.matmul %h, %m : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %1 = graph.cast %0 {to = f32} : tensor<1x64xf16> -> tensor<1x64xf32>
    %2 = graph.matmul %1, %n : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
    %3 = graph.cast %2 {to = f16} : tensor<1x64xf32> -> tensor<1x64xf16>
    graph.yield %3, %3 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  func.return %y : tensor<40x1x64xf16>
}

// -----

// The second product is of twice as many elements as a state has: units would not be the same.
// CHECK-LABEL: @wider_factor
// CHECK:         graph.step_loop
// CHECK:           all steps as one kernel: a product that is not of rows of a state
func.func @wider_factor(%s: tensor<1x64xf16>, %u: tensor<64x128xf16>, %v: tensor<128x64xf16>) -> tensor<1x64xf16> {
  %g = graph.step_loop carry(%s) slice() read(%u, %v) {steps = 40 : i64} : (tensor<1x64xf16>) () (tensor<64x128xf16>, tensor<128x64xf16>) -> tensor<1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %m: tensor<64x128xf16>, %n: tensor<128x64xf16>):
    %0 = graph.matmul %h, %m : (tensor<1x64xf16>, tensor<64x128xf16>) -> tensor<1x128xf16>
    %1 = graph.relu %0 : tensor<1x128xf16> -> tensor<1x128xf16>
    %2 = graph.matmul %1, %n : (tensor<1x128xf16>, tensor<128x64xf16>) -> tensor<1x64xf16>
    graph.yield %2 : tensor<1x64xf16>
  }
  func.return %g : tensor<1x64xf16>
}

// -----

// A factor that is computed of products is no weight.
// CHECK-LABEL: @changing_factor
// CHECK:         graph.step_loop
// CHECK:           all steps as one kernel: a product with a factor that changes from step to step
func.func @changing_factor(%s: tensor<64x64xf16>, %u: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %g = graph.step_loop carry(%s) slice() read(%u) {steps = 40 : i64} : (tensor<64x64xf16>) () (tensor<64x64xf16>) -> tensor<64x64xf16> {
  ^bb0(%h: tensor<64x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.matmul %h, %m : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %1 = graph.matmul %h, %0 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    graph.yield %1 : tensor<64x64xf16>
  }
  func.return %g : tensor<64x64xf16>
}
