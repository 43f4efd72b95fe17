// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Rows of 4096 bytes share the sets of a cache: those of states have a line between them, those of
// what the kernel gives have not.
// CHECK-LABEL: loop.kernel @g0(
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<2x3x1024xf32>, %[[H:[a-z0-9]+]]: memref<2x3x1040xf32>)
// CHECK:         loop.load %[[H]][0,
// CHECK:         loop.store %{{.*}}, %[[H]][1,
// CHECK:         loop.store %{{.*}}, %[[Y]][
func.func @main(%x: tensor<2x3x1024xf32>) -> tensor<2x3x1024xf32> {
  %u = graph.weight @u : tensor<1024x1024xf32>
  %y = fused_group.group @g0(%x, %u) : (tensor<2x3x1024xf32>, tensor<1024x1024xf32>) -> tensor<2x3x1024xf32> attributes {schedule = #loop.schedule<strategy = "recurrent", target = "cpu", tile = [3, 16], lanes = 8, cores = true>} {
  ^bb0(%a: tensor<2x3x1024xf32>, %m: tensor<1024x1024xf32>):
    %s = graph.splat 0.000000e+00 : f32 -> tensor<3x1024xf32>
    %last, %all = graph.step_loop carry(%s) slice(%a) read(%m) {steps = 2 : i64} : (tensor<3x1024xf32>) (tensor<2x3x1024xf32>) (tensor<1024x1024xf32>) -> tensor<3x1024xf32>, tensor<2x3x1024xf32> {
    ^bb0(%h: tensor<3x1024xf32>, %part: tensor<3x1024xf32>, %w: tensor<1024x1024xf32>):
      %0 = graph.matmul %h, %w : (tensor<3x1024xf32>, tensor<1024x1024xf32>) -> tensor<3x1024xf32>
      %1 = graph.add %0, %part : (tensor<3x1024xf32>, tensor<3x1024xf32>) -> tensor<3x1024xf32>
      %2 = graph.tanh %1 : tensor<3x1024xf32> -> tensor<3x1024xf32>
      graph.yield %2, %2 : tensor<3x1024xf32>, tensor<3x1024xf32>
    }
    fused_group.yield %all : tensor<2x3x1024xf32>
  }
  func.return %y : tensor<2x3x1024xf32>
}
