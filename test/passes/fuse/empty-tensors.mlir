// RUN: dlc-opt %s --fuse --tile | filecheck %s

// A product without rows or without terms has nothing to tile.

// CHECK: strategy = "map"
// CHECK: strategy = "map"
func.func @main(%x: tensor<0x768xf32>, %v: tensor<768x64xf32>, %y: tensor<64x0xf32>, %w: tensor<0x64xf32>) -> (tensor<0x64xf32>, tensor<64x64xf32>) {
  %0 = graph.matmul %x, %v : (tensor<0x768xf32>, tensor<768x64xf32>) -> tensor<0x64xf32>
  %1 = graph.matmul %y, %w : (tensor<64x0xf32>, tensor<0x64xf32>) -> tensor<64x64xf32>
  func.return %0, %1 : tensor<0x64xf32>, tensor<64x64xf32>
}
