// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_90a | filecheck %s

// A step that normalises its state needs all units of it: it has kernels of its own.
// CHECK-LABEL: @reduction
// CHECK:         graph.step_loop
// CHECK:           fused_group.group {{.*}}all steps as one kernel: graph.reduce_max in a step
// CHECK:           graph.yield
func.func @reduction(%x: tensor<40x1x64xf16>, %s: tensor<1x64xf16>, %u: tensor<64x64xf16>) -> tensor<40x1x64xf16> {
  %g, %y = graph.step_loop carry(%s) slice(%x) read(%u) {steps = 40 : i64} : (tensor<1x64xf16>) (tensor<40x1x64xf16>) (tensor<64x64xf16>) -> tensor<1x64xf16>, tensor<40x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %1 = graph.reduce_max %0 axes [1] : tensor<1x64xf16> -> tensor<1xf16>
    %2 = graph.sub %part, %1 : (tensor<1x64xf16>, tensor<1xf16>) -> tensor<1x64xf16>
    graph.yield %2, %2 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  func.return %y : tensor<40x1x64xf16>
}

// -----

// What is multiplied would have to be exchanged before the first product of a step.
// CHECK-LABEL: @product_of_a_function
// CHECK:         graph.step_loop
// CHECK:           all steps as one kernel: a product of neither a state nor what other products give
func.func @product_of_a_function(%x: tensor<40x1x64xf16>, %s: tensor<1x64xf16>, %u: tensor<64x64xf16>) -> tensor<40x1x64xf16> {
  %g, %y = graph.step_loop carry(%s) slice(%x) read(%u) {steps = 40 : i64} : (tensor<1x64xf16>) (tensor<40x1x64xf16>) (tensor<64x64xf16>) -> tensor<1x64xf16>, tensor<40x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.mul %h, %part : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    %1 = graph.matmul %0, %m : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    graph.yield %1, %1 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  func.return %y : tensor<40x1x64xf16>
}

// -----

// Halves change places: a unit reads another one's state.
// CHECK-LABEL: @another_unit
// CHECK:         graph.step_loop
// CHECK:           all steps as one kernel: a state is read at another place than the unit's own
func.func @another_unit(%x: tensor<40x1x64xf16>, %s: tensor<1x64xf16>, %u: tensor<64x64xf16>) -> tensor<40x1x64xf16> {
  %g, %y = graph.step_loop carry(%s) slice(%x) read(%u) {steps = 40 : i64} : (tensor<1x64xf16>) (tensor<40x1x64xf16>) (tensor<64x64xf16>) -> tensor<1x64xf16>, tensor<40x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.matmul %h, %m : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %a = graph.slice %h {starts = array<i64: 0, 32>, stops = array<i64: 1, 64>, steps = array<i64: 1, 1>} : tensor<1x64xf16> -> tensor<1x32xf16>
    %b = graph.slice %h {starts = array<i64: 0, 0>, stops = array<i64: 1, 32>, steps = array<i64: 1, 1>} : tensor<1x64xf16> -> tensor<1x32xf16>
    %1 = graph.concat %a, %b {axis = 1 : i64} : (tensor<1x32xf16>, tensor<1x32xf16>) -> tensor<1x64xf16>
    %2 = graph.add %0, %1 : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    %3 = graph.mul %2, %part : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    graph.yield %3, %3 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  func.return %y : tensor<40x1x64xf16>
}
