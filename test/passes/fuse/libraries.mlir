// RUN: dlc-opt %s "--fuse=arch=cpu-avx2 libraries=openblas" | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx2 | filecheck %s --check-prefix=WITHOUT

// A product of few summands is OpenBLAS's by the model of the chip. A square one is ours, since the price of
// OpenBLAS is lower by less than its error. One row is ours, since OpenBLAS would copy all of the matrix for it.
// CHECK: fused_group.group @g0(%x, %y)
// CHECK-SAME: strategy = "contract", target = "cpu"{{.*}}, library = "openblas">
// CHECK: fused_group.group @g1
// CHECK-NOT: openblas
// CHECK: fused_group.group @g2
// CHECK-NOT: openblas
// WITHOUT-NOT: openblas
func.func @main(%x: tensor<4096x64xf64>, %y: tensor<64x8192xf64>, %z: tensor<4096x4096xf32>, %r: tensor<1x4096xf32>) -> (tensor<4096x8192xf64>, tensor<4096x4096xf32>, tensor<1x4096xf32>) {
  %0 = graph.matmul %x, %y : (tensor<4096x64xf64>, tensor<64x8192xf64>) -> tensor<4096x8192xf64>
  %1 = graph.matmul %z, %z : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %2 = graph.matmul %r, %z : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
  func.return %0, %1, %2 : tensor<4096x8192xf64>, tensor<4096x4096xf32>, tensor<1x4096xf32>
}
