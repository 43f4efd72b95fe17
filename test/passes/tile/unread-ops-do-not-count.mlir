// RUN: dlc-opt %s --tile=arch=cpu-avx2 --lower-to-loop | filecheck %s
// RUN: dlc-opt %s --tile=arch=sm_80 --lower-to-loop | filecheck %s
// RUN: dlc-opt %s --tile=arch=sm_80 | filecheck %s --check-prefix TILED

// CHECK-NOT: math.exp
// CHECK:     math.tanh
// CHECK-NOT: math.exp

// TILED: strategy = "map"
func.func @main(%x: tensor<128x256xf32>, %w: tensor<256x256xf32>) -> tensor<128x256xf32> {
  %0 = fused_group.group @g0(%x, %w) : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32> {
  ^bb0(%a: tensor<128x256xf32>, %b: tensor<256x256xf32>):
    %unread = graph.exp %a : tensor<128x256xf32> -> tensor<128x256xf32>
    %by_unread = graph.matmul %unread, %b : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>
    %y = graph.tanh %a : tensor<128x256xf32> -> tensor<128x256xf32>
    fused_group.yield %y : tensor<128x256xf32>
  }
  func.return %0 : tensor<128x256xf32>
}
