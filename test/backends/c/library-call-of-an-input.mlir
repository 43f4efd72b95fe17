// RUN: dlc-opt %s -t c --verify-diagnostics

// The result of a product is the third buffer of its call.
// expected-error@below {{the call writes buffer 0, which is not the only output}}
loop.kernel @k(%x: memref<32x32xf32>, %y: memref<32x32xf32>, %z: memref<32x32xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "openblas", function = "cblas_sgemm", buffers = [2, 1, 0], count = 8, sizes = [1, 32, 32, 32], starts = [0, 0, 0], steps = [0, 0, 0], pitches = [32, 32, 32], turned = [false, false, false]>} {
  loop.end
}
