// RUN: %invalid

gpu.kernel @swizzle_of_no_bits(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{swizzle<0, 4, 3> needs bits >= 1, base >= 0 and shift >= bits}}
  %s = gpu.shared_alloc {swizzle = #gpu.swizzle<0, 4, 3>} : memref<64xf16, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @swizzle_onto_itself(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{swizzle<3, 4, 2> needs bits >= 1, base >= 0 and shift >= bits}}
  %s = gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 2>} : memref<64xf16, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @swizzle_below_bytes(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{swizzle<3, -1, 3> needs bits >= 1, base >= 0 and shift >= bits}}
  %s = gpu.shared_alloc {swizzle = #gpu.swizzle<3, -1, 3>} : memref<64xf16, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @register_in_shared(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{a register buffer has the type memref<.., #loop.space<register>>}}
  %r = gpu.register_alloc : memref<8xf32, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @counters_in_shared(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{counters have the type memref<..xi32>}}
  %c = gpu.counter_alloc : memref<4xi32, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @narrow_shuffle(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %v = arith.constant 1 : i8
  // expected-error@below {{takes f32, f64, i32 or i64, not i8}}
  %w = gpu.shuffle xor %v, 16 : i8
  gpu.end
}

// -----

gpu.kernel @short_cp_async(%x: memref<64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  // expected-error@below {{moves 2 bytes; one instruction moves 4, 8 or 16}}
  gpu.cp_async %x[0] to %s[0] {bytes = 2 : i64} : memref<64xf16>, memref<64xf16, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @adds_another_type(%x: memref<64xi32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %v = arith.constant 1.0 : f32
  // expected-error@below {{adds f32 to i32; the types must agree}}
  %o = gpu.atomic_add %v, %x[0] : f32, memref<64xi32> -> f32
  gpu.end
}

// -----

gpu.kernel @adds_to_a_register(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %v = arith.constant 1.0 : f32
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{registers belong to one thread; add without an atomic}}
  %o = gpu.atomic_add %v, %r[0] : f32, memref<8xf32, #loop.space<register>> -> f32
  gpu.end
}

// -----

gpu.kernel @waits_for_less_than_none(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{outstanding = -1}}
  gpu.cp_async_wait {outstanding = -1 : i64}
  gpu.end
}
