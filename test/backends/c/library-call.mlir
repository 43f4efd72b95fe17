// RUN: dlc-opt %s -t c --split-input-file --verify-diagnostics | filecheck %s

// Threads share the rows in pieces of 4; where the library is missing, the generated function runs.
// CHECK: static void k_generated(void *const *operands) {
// CHECK: extern void *dlc_openblas_cblas_sgemm;
// CHECK-NEXT: static void k_call(void *captured, int64_t first, int64_t end) {
// CHECK-NEXT: void *const *b = captured;
// CHECK-NEXT: void (*const cblas_sgemm)(int, int, int, int, int, int, float,
// CHECK-NEXT: const int64_t from = 4 * first, to = 4 * end < 37 ? 4 * end : 37;
// CHECK-NEXT: cblas_sgemm(101, 111, 112, to - from, 11, 29, 1, (float *)b[0] + 0 + from * 29, 29, (float *)b[1] + 0 + 0, 29, 0, (float *)b[2] + 0 + from * 11, 11);
// CHECK: void k(void *const *operands) {
// CHECK-NEXT: if (!dlc_openblas_cblas_sgemm) {
// CHECK-NEXT: k_generated(operands);
// CHECK: void *buffers[] = {operands[0], operands[1], operands[2]};
// CHECK-NEXT: dlc_spread(k_call, buffers, 10);
loop.kernel @k(%x: memref<37x29xf32>, %y: memref<11x29xf32>, %z: memref<37x11xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "openblas", function = "cblas_sgemm", buffers = [0, 1, 2], count = 10, sizes = [1, 37, 11, 29], starts = [0, 0, 0], steps = [0, 0, 0], pitches = [29, 29, 11], turned = [false, true, false]>} {
  loop.end
}

// -----

// Each of several products is one call.
// CHECK: for (int64_t i = first; i < end; ++i) cblas_sgemm(101, 111, 111, 4, 4, 4, 1, (float *)b[0] + 0 + i * 16, 4,
loop.kernel @k(%x: memref<3x4x4xf32>, %y: memref<3x4x4xf32>, %z: memref<3x4x4xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "openblas", function = "cblas_sgemm", buffers = [0, 1, 2], count = 3, sizes = [3, 4, 4, 4], starts = [0, 0, 0], steps = [16, 16, 16], pitches = [4, 4, 4], turned = [false, false, false]>} {
  loop.end
}

// -----

// expected-error@below {{the call leads out of buffer 2, memref<37x10xf32>}}
loop.kernel @k(%x: memref<37x29xf32>, %y: memref<11x29xf32>, %z: memref<37x10xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "openblas", function = "cblas_sgemm", buffers = [0, 1, 2], count = 10, sizes = [1, 37, 11, 29], starts = [0, 0, 0], steps = [0, 0, 0], pitches = [29, 29, 11], turned = [false, true, false]>} {
  loop.end
}

// -----

// expected-error@below {{there is no library 'mkl'; there are: cublaslt, cudnn, openblas}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "mkl", function = "f", buffers = [0, 1], count = 8>} {
  loop.end
}

// -----

// expected-error@below {{library openblas has no function f}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "openblas", function = "f", buffers = [0, 1], count = 8>} {
  loop.end
}

// -----

// expected-error@below {{library cublaslt is for a GPU}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "cublaslt", function = "cublasLtMatmul", buffers = [0, 1], count = 1>} {
  loop.end
}
