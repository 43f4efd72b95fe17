// RUN: dlc-opt %s "--fuse=arch=cpu-avx2 libraries=openblas" | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx2 | filecheck %s --check-prefix=WITHOUT

// A large product is OpenBLAS's by the model of the chip. One row is
// ours, since OpenBLAS would copy all of the matrix for it.
// CHECK: fused_group.group @g0(%x, %y)
// CHECK-SAME: strategy = "contract", target = "cpu"{{.*}}, library = "openblas">
// CHECK: fused_group.group @g1
// CHECK-NOT: openblas
// WITHOUT-NOT: openblas
func.func @main(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>, %r: tensor<1x4096xf32>) -> (tensor<4096x4096xf32>, tensor<1x4096xf32>) {
  %0 = graph.matmul %x, %y : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %1 = graph.matmul %r, %y : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
  func.return %0, %1 : tensor<4096x4096xf32>, tensor<1x4096xf32>
}
