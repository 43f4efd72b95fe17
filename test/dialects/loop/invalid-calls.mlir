// RUN: %invalid

// expected-error@below {{a call names library and function, and counts iterations from 1}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "a", buffers = [0, 1], count = 8>} {
  loop.end
}

// -----

// expected-error@below {{a call names library and function, and counts iterations from 1}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "a", function = "f", buffers = [0, 1], count = 0>} {
  loop.end
}

// -----

// expected-error@below {{loop.call count = "8" should be like 0}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "a", function = "f", buffers = [0, 1], count = "8">} {
  loop.end
}

// -----

// expected-error@below {{loop.call buffers should be numbers of buffers}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "a", function = "f", buffers = [0, "y"], count = 8>} {
  loop.end
}

// -----

// expected-error@below {{buffers = [0, 2] of a call should be inputs or outputs}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<8xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 32>, call = #loop.call<library = "a", function = "f", buffers = [0, 2], count = 8>} {
  loop.end
}

// -----

// expected-error@below {{the call leaves out buffer 1, an output}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "a", function = "f", buffers = [0], count = 8>} {
  loop.end
}

// -----

// expected-error@below {{the call names buffer 1, an output, more than once}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "a", function = "f", buffers = [0, 1, 1], count = 8>} {
  loop.end
}

// -----

// expected-error@below {{workspace = 64 of a call should be the bytes of the last scratch buffer}}
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, call = #loop.call<library = "a", function = "f", buffers = [0, 1], count = 8, workspace = 64>} {
  loop.end
}
