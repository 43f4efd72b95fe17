// RUN: dlc-opt %s --gpu-select-quotients | filecheck %s

// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : f32
gpu.kernel @halves(%x: memref<2xf32>, %y: memref<2xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64} {
  %a = loop.load %x[0] : memref<2xf32> -> f32
  %b = loop.load %x[1] : memref<2xf32> -> f32
  %q = arith.divf %a, %b fastmath<afn> : f32
  loop.store %q, %y[0] : f32 -> memref<2xf16>
  loop.store %q, %y[1] : f32 -> memref<2xf16>
  gpu.end
}
