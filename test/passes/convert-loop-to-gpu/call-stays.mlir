// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// The call of a library is handed over; one without a call has none.
// CHECK: gpu.kernel @k(
// CHECK-SAME: call = #loop.call<library = "cublaslt", function = "f", buffers = [0, 1], count = 1, workspace = 256>
// CHECK: gpu.kernel @l(
// CHECK-NOT: call
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<256xi8>) attributes {outputs = 1 : i64, scratch = array<i64: 256>, threads = 32 : i64, call = #loop.call<library = "cublaslt", function = "f", buffers = [0, 1], count = 1, workspace = 256>} {
  loop.end
}
loop.kernel @l(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, threads = 32 : i64} {
  loop.end
}
