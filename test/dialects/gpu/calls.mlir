// RUN: %roundtrip

// CHECK: gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<256xi8>) attributes {
// CHECK-SAME: call = #loop.call<library = "cublaslt", function = "f", buffers = [0, 1], count = 1, workspace = 256>
gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<256xi8>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 256>, call = #loop.call<library = "cublaslt", function = "f", buffers = [0, 1], count = 1, workspace = 256>} {
  gpu.end
}
