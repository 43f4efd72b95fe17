// RUN: %invalid

// A bound that is the loop's own number.
gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error@below {{an operand is defined only inside the op, where it is not yet}}
  scf.for %i = %i to %one step %one {
    %v = loop.load %x[%i] : memref<64xf32> -> f32
    loop.store %v, %x[%i] : f32 -> memref<64xf32>
  }
  gpu.end
}
