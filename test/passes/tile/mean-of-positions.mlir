// RUN: dlc-opt %s --fuse=arch=h200 --tile=arch=h200 | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx2 --tile=arch=cpu-avx2 | filecheck %s --check-prefix=CPU

// Few long sums across the stored order: threads of a GPU share each, while on a CPU the lanes take
// neighbouring results.

// CHECK: strategy = "row"
// CPU:   strategy = "map"
func.func @main(%x: tensor<1x14x14x480xf32>) -> tensor<1x1x1x480xf32> {
  %0 = graph.reduce_mean %x axes [1, 2] keep_dims : tensor<1x14x14x480xf32> -> tensor<1x1x1x480xf32>
  func.return %0 : tensor<1x1x1x480xf32>
}
