// RUN: dlc-opt %s --fuse=arch=cpu-avx512 | filecheck %s

// A core reads the weights of an LSTM in its cache again in each step: one kernel does all steps.
// CHECK-LABEL: @main
// CHECK:         fused_group.group {{.*}}strategy = "recurrent"
// CHECK:           graph.step_loop
// CHECK:           fused_group.yield
// CHECK-NOT:     graph.step_loop
func.func @main(%x: tensor<100x1x512xf32>) -> tensor<100x1x128xf32> {
  %s = graph.splat 0.000000e+00 : f32 -> tensor<1x128xf32>
  %a, %b, %y = graph.step_loop carry(%s, %s) slice(%x) read() {steps = 100 : i64} : (tensor<1x128xf32>, tensor<1x128xf32>) (tensor<100x1x512xf32>) () -> tensor<1x128xf32>, tensor<1x128xf32>, tensor<100x1x128xf32> {
  ^bb0(%h: tensor<1x128xf32>, %c: tensor<1x128xf32>, %part: tensor<1x512xf32>):
    %w = graph.weight @w : tensor<128x512xf32>
    %m = graph.matmul %h, %w : (tensor<1x128xf32>, tensor<128x512xf32>) -> tensor<1x512xf32>
    %g = graph.add %part, %m : (tensor<1x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
    %i = graph.slice %g {starts = array<i64: 0, 0>, stops = array<i64: 1, 128>, steps = array<i64: 1, 1>} : tensor<1x512xf32> -> tensor<1x128xf32>
    %o = graph.slice %g {starts = array<i64: 0, 128>, stops = array<i64: 1, 256>, steps = array<i64: 1, 1>} : tensor<1x512xf32> -> tensor<1x128xf32>
    %f = graph.slice %g {starts = array<i64: 0, 256>, stops = array<i64: 1, 384>, steps = array<i64: 1, 1>} : tensor<1x512xf32> -> tensor<1x128xf32>
    %n = graph.slice %g {starts = array<i64: 0, 384>, stops = array<i64: 1, 512>, steps = array<i64: 1, 1>} : tensor<1x512xf32> -> tensor<1x128xf32>
    %v21 = graph.sigmoid %i : tensor<1x128xf32> -> tensor<1x128xf32>
    %v22 = graph.sigmoid %f : tensor<1x128xf32> -> tensor<1x128xf32>
    %v23 = graph.tanh %n : tensor<1x128xf32> -> tensor<1x128xf32>
    %v24 = graph.mul %v22, %c : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %v25 = graph.mul %v21, %v23 : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %v26 = graph.add %v24, %v25 : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %v27 = graph.sigmoid %o : tensor<1x128xf32> -> tensor<1x128xf32>
    %v28 = graph.tanh %v26 : tensor<1x128xf32> -> tensor<1x128xf32>
    %v29 = graph.mul %v27, %v28 : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    graph.yield %v29, %v26, %v29 : tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>
  }
  func.return %y : tensor<100x1x128xf32>
}
