// RUN: dlc-opt %s --fuse=arch=h200 --tile=arch=h200 | filecheck %s
// RUN: dlc-opt %s --fuse=arch=v100 --tile=arch=v100 | filecheck %s --check-prefix=OLD

// fp16 and int8 multiply on tensor cores, fp32 does not unless tf32 was asked for; V100 has no m16n8k16.

// CHECK:      graph.weight @h
// CHECK:      instruction = "mma.m16n8k16"
// CHECK-SAME: bound = #loop.bound<time_us = {{[0-9.]+}}, estimate_us = {{[0-9.]+}}, global = {{[0-9.]+}}, shared = {{[0-9.]+}}, waves = {{[0-9.]+}}, limits = 1>
// CHECK:      instruction = "fma"
// CHECK:      instruction = "mma.m16n8k8"
// CHECK:      instruction = "mma.m16n8k32"
// OLD:        instruction = "fma"
// OLD:        instruction = "fma"
// OLD:        instruction = "fma"
// OLD:        instruction = "fma"
func.func @main(%x: tensor<128x768xf16>, %y: tensor<128x768xf32>, %z: tensor<128x768xui8>) -> (tensor<128x64xf16>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xi32>) {
  %h = graph.weight @h : tensor<768x64xf16>
  %w = graph.weight @w : tensor<768x64xf32>
  %0 = graph.matmul %x, %h : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16>
  %1 = graph.matmul %y, %w : (tensor<128x768xf32>, tensor<768x64xf32>) -> tensor<128x64xf32>
  %2 = graph.matmul %y, %w precision tf32 : (tensor<128x768xf32>, tensor<768x64xf32>) -> tensor<128x64xf32>
  %q = graph.weight @q : tensor<64x768xi8>
  %3 = graph.matmul %z, %q transpose_rhs : (tensor<128x768xui8>, tensor<64x768xi8>) -> tensor<128x64xi32>
  func.return %0, %1, %2, %3 : tensor<128x64xf16>, tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x64xi32>
}
