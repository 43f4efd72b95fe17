// RUN: dlc-opt %s -t cuda | filecheck %s

// CHECK: cvt.rna.tf32.f32
// CHECK: round_tf32(v
gpu.kernel @conversions(%x: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %v = loop.load %x[%t] : memref<32xf32> -> f32
  %r = gpu.cvt_tf32 %v : f32
  loop.store %r, %x[%t] : f32 -> memref<32xf32>
  gpu.end
}
