// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// 32 elements of a row are what a thread holds: eight rounds of four neighbours, not nine.
// CHECK-LABEL: @held
// CHECK:         loop.for %{{.*}} = 0 to 256 kind = reduction map = thread iter_args({{.*}}) attributes {straight}
// CHECK-LABEL: @many
// CHECK:         loop.for %{{.*}} = 0 to 288 kind = reduction map = thread iter_args
// CHECK-NOT:     straight
func.func @main(%x: tensor<3x1024xf32>, %y: tensor<3x1152xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = fused_group.group @held(%x) : (tensor<3x1024xf32>) -> tensor<3xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, vector = 4>} {
  ^bb0(%a: tensor<3x1024xf32>):
    %s = graph.reduce_sum %a axes [1] : tensor<3x1024xf32> -> tensor<3xf32>
    fused_group.yield %s : tensor<3xf32>
  }
  %1 = fused_group.group @many(%y) : (tensor<3x1152xf32>) -> tensor<3xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, vector = 4>} {
  ^bb0(%a: tensor<3x1152xf32>):
    %s = graph.reduce_sum %a axes [1] : tensor<3x1152xf32> -> tensor<3xf32>
    fused_group.yield %s : tensor<3xf32>
  }
  func.return %0, %1 : tensor<3xf32>, tensor<3xf32>
}
