// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx2 | filecheck %s --check-prefix=CPU
// RUN: dlc-opt %s --fuse=arch=sm_90a > %t.fused
// RUN: dlc-opt %s --fuse=arch=sm_90a --tile=arch=sm_90a > %t.tiled
// RUN: diff %t.fused %t.tiled

// The plan by which ops share a kernel is written on the group, with what the model says about it; `tile` finds
// nothing to do.

// CHECK: fused_group.group @g0
// CHECK-SAME: schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [{{.*}}], {{.*}}>, bound = #loop.bound<time_us = {{[0-9.]+}}, estimate_us = {{[0-9.]+}}, {{.*}}, limits = 1>
// CHECK: fused_group.group @g1
// CHECK-SAME: schedule = #loop.schedule<strategy = "row", target = "gpu"
// CPU:   fused_group.group @g0
// CPU-SAME: schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [{{.*}}], lanes = 8, cores = true, rows = {{[0-9]+}}, ahead = true>, bound = #loop.bound<time_us = {{[0-9.]+}}, estimate_us = {{[0-9.]+}},
func.func @main(%x: tensor<128x768xf32>, %w: tensor<768x640xf32>) -> tensor<128x1xf32> {
  %0 = graph.matmul %x, %w : (tensor<128x768xf32>, tensor<768x640xf32>) -> tensor<128x640xf32>
  %1 = graph.relu %0 : tensor<128x640xf32> -> tensor<128x640xf32>
  %2 = graph.reduce_max %1 axes [1] keep_dims : tensor<128x640xf32> -> tensor<128x1xf32>
  func.return %2 : tensor<128x1xf32>
}
