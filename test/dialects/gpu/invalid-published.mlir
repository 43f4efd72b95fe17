// RUN: %invalid

gpu.kernel @alone(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{its kernel is not cooperative: a block may wait for one that has not begun}}
  gpu.await %y[0] to %r[0] {elements = 4 : i64} : memref<64xf32>, memref<8xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @publishes_alone(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{its kernel is not cooperative: a block may wait for one that has not begun}}
  gpu.publish %r[0] to %y[0] {elements = 4 : i64} : memref<8xf32, #loop.space<register>>, memref<64xf32>
  gpu.end
}

// -----

gpu.kernel @not_filled(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative} {
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{the buffer holds no marks; name it in filled of the kernel}}
  gpu.await %y[0] to %r[0] {elements = 4 : i64} : memref<64xf32>, memref<8xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @input(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{the buffer holds no marks; name it in filled of the kernel}}
  gpu.await %x[0] to %r[0] {elements = 4 : i64} : memref<64xf32>, memref<8xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @half(%x: memref<64xf16>, %y: memref<64xf16>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  // expected-error@below {{moves 2 bytes; one instruction moves 4, 8 or 16}}
  gpu.publish %r[0] to %y[0] {elements = 1 : i64} : memref<8xf16, #loop.space<register>>, memref<64xf16>
  gpu.end
}

// -----

gpu.kernel @wide(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{moves 32 bytes; one instruction moves 4, 8 or 16}}
  gpu.await %y[0] to %r[0] {elements = 8 : i64} : memref<64xf32>, memref<8xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @integers(%x: memref<64xi32>, %y: memref<64xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xi32, #loop.space<register>>
  // expected-error@below {{moves f16, bf16 or f32, not i32: the mark is a NaN of these}}
  gpu.publish %r[0] to %y[0] {elements = 1 : i64} : memref<8xi32, #loop.space<register>>, memref<64xi32>
  gpu.end
}

// -----

gpu.kernel @doubles(%x: memref<64xf64>, %y: memref<64xf64>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf64, #loop.space<register>>
  // expected-error@below {{moves f16, bf16 or f32, not f64: the mark is a NaN of these}}
  gpu.await %y[0] to %r[0] {elements = 1 : i64} : memref<64xf64>, memref<8xf64, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @converts(%x: memref<64xf32>, %y: memref<64xf16>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{moves f32 to f16 without converting; convert in registers}}
  gpu.publish %r[0] to %y[0] {elements = 2 : i64} : memref<8xf32, #loop.space<register>>, memref<64xf16>
  gpu.end
}

// -----

gpu.kernel @to_shared(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  // expected-error@below {{moves from global to register memory, got memref<64xf32> and memref<64xf32, #loop.space<shared>>}}
  gpu.await %y[0] to %s[0] {elements = 4 : i64} : memref<64xf32>, memref<64xf32, #loop.space<shared>>
  gpu.end
}

// -----

// expected-error@below {{filled = [0] should be numbers of outputs or scratch buffers}}
gpu.kernel @filled_input(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, filled = array<i64: 0>} {
  gpu.end
}

// -----

// expected-error@below {{filled = [2] should be numbers of outputs or scratch buffers}}
gpu.kernel @filled_nothing(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, filled = array<i64: 2>} {
  gpu.end
}

// -----

// expected-error@below {{a cooperative kernel begins when the launches before it have ended: it has no constant_inputs}}
gpu.kernel @early(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, constant_inputs = array<i64: 0>} {
  gpu.end
}

// -----

gpu.kernel @no_stride(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{pieces, at least 1, and their stride come together}}
  gpu.await %y[0] to %r[0] {elements = 4 : i64, pieces = 2 : i64} : memref<64xf32>, memref<8xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @strides(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{stride = [1, 2] has one number for each axis of memref<64xf32>}}
  gpu.await %y[0] to %r[0] {elements = 4 : i64, pieces = 2 : i64, stride = array<i64: 1, 2>} : memref<64xf32>, memref<8xf32, #loop.space<register>>
  gpu.end
}

// -----

// expected-error@below {{a cooperative kernel has no clusters: no lowering needs both}}
gpu.kernel @clusters() attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cooperative, cluster = array<i64: 2, 1, 1>} {
  gpu.end
}

// -----

// expected-error@below {{filled = [1, 1] names a buffer twice}}
gpu.kernel @filled_twice(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, filled = array<i64: 1, 1>} {
  gpu.end
}
