// RUN: %roundtrip

// CHECK: loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "openblas", function = "f", buffers = [0, 1], count = 8, sizes = [1, 8]>} {
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "openblas", function = "f", buffers = [0, 1], count = 8, sizes = [1, 8]>} {
  loop.end
}
