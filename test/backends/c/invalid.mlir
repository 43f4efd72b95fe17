// RUN: dlc-opt %s -t c --split-input-file --verify-diagnostics

loop.kernel @workers_of_a_gpu(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error @below {{a parallel loop over grid cannot be printed as C}}
  loop.for %i = 0 to 8 kind = parallel map = grid {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @lanes(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error @below {{a vector of 6 lanes cannot be printed as C: no power of two}}
  %v = loop.load_vector %x[0] : memref<8xf32> -> vector<6xf32>
  loop.store_vector %v, %x[0] : vector<6xf32> -> memref<8xf32>
  loop.end
}
