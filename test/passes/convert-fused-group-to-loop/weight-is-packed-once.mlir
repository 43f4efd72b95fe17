// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Both launches read one packed form of the weight; another weight has its own.

// CHECK-COUNT-1: loop.kernel
// CHECK-NOT:     loop.kernel
// CHECK-LABEL:   func.func @main
// CHECK:         %[[W:.*]] = graph.weight @w : tensor<1x4x64x16xf32>
// CHECK:         %[[V:.*]] = graph.weight @v : tensor<1x4x64x16xf32>
// CHECK:         fused_group.launch @g0(%x, %[[W]])
// CHECK-NEXT:    fused_group.launch @g0(%{{.*}}, %[[W]])
// CHECK-NEXT:    fused_group.launch @g0(%{{.*}}, %[[V]])
func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = graph.weight @w : tensor<64x64xf32>
  %v = graph.weight @v : tensor<64x64xf32>
  %y = fused_group.group @g0(%x, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [4, 16], lanes = 8, cores = false>} {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<64x64xf32>):
    %0 = graph.matmul %a, %b : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    fused_group.yield %0 : tensor<8x64xf32>
  }
  %z = fused_group.group @g1(%y, %w) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [4, 16], lanes = 8, cores = false>} {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<64x64xf32>):
    %0 = graph.matmul %a, %b : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    fused_group.yield %0 : tensor<8x64xf32>
  }
  %u = fused_group.group @g2(%z, %v) : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [4, 16], lanes = 8, cores = false>} {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<64x64xf32>):
    %0 = graph.matmul %a, %b : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    fused_group.yield %0 : tensor<8x64xf32>
  }
  func.return %u : tensor<8x64xf32>
}
