// RUN: dlc-opt %s --fuse=arch=a100 --tile=arch=a100 | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx2 --tile=arch=cpu-avx2 | filecheck %s --check-prefix=CPU

// CHECK: strategy = "map", target = "gpu", threads = {{[0-9]+}}, vector = {{[0-9]+}}, {{.*}}>
// CHECK: strategy = "row", target = "gpu", threads = {{[0-9]+}}, rows = {{[0-9]+}}, vector = {{[0-9]+}}, {{.*}}>
// CPU:   strategy = "map", target = "cpu", cores = false>
// CPU:   strategy = "row", target = "cpu", cores = true>
func.func @main(%x: tensor<1x8x16x16xf32>, %y: tensor<4096x4096xf32>) -> (tensor<1x8x14x14xf32>, tensor<4096x1xf32>) {
  %0 = graph.max_pool %x window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<1x8x16x16xf32> -> tensor<1x8x14x14xf32>
  %1 = graph.exp %y : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %2 = graph.reduce_sum %1 axes [1] keep_dims : tensor<4096x4096xf32> -> tensor<4096x1xf32>
  func.return %0, %2 : tensor<1x8x14x14xf32>, tensor<4096x1xf32>
}
