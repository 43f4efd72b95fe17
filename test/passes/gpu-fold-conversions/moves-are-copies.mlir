// RUN: dlc-opt %s --gpu-fold-conversions | filecheck %s

// What is loaded and stored as f16 is not widened; what is stored as another type is converted.
// CHECK:      gpu.copy %x[%[[T:.*]]] to %y[%[[T]] + 32] {elements = 1 : i64}
// CHECK-NEXT: %[[A:.*]] = loop.load %x[%[[T]]]
// CHECK-NEXT: loop.store %[[A]], %z[%[[T]]]
// CHECK-NEXT: gpu.end
gpu.kernel @k(%x: memref<32xf16>, %y: memref<64xf16>, %z: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 2 : i64} {
  %t = gpu.thread_id x : index
  %a = loop.load %x[%t] : memref<32xf16> -> f32
  loop.store %a, %y[%t + 32] : f32 -> memref<64xf16>
  %b = loop.load %x[%t] : memref<32xf16> -> f32
  loop.store %b, %z[%t] : f32 -> memref<32xf32>
  gpu.end
}
