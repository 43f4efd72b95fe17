// RUN: dlc-opt %s --fuse=arch=h200 --tile=arch=h200 | filecheck %s

// One row times a large matrix: only a cut of the reduction keeps all SMs reading.

// CHECK: tile = [16, {{[0-9]+}}, {{[0-9]+}}]
// CHECK-NOT: split = 1,
func.func @main(%x: tensor<1x4096xf16>, %w: tensor<4096x1024xf16>) -> tensor<1x1024xf16> {
  %0 = graph.matmul %x, %w : (tensor<1x4096xf16>, tensor<4096x1024xf16>) -> tensor<1x1024xf16>
  func.return %0 : tensor<1x1024xf16>
}
