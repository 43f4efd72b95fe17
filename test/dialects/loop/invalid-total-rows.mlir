// RUN: %invalid

loop.kernel @fewer_totals_than_rows(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %acc = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>
  %sums = loop.alloc : memref<16xf32, #loop.space<shared>>
  %zero = arith.constant 0.000000e+00 : f32
  // expected-error@below {{totals are in shared memory, one for each of 32 rows}}
  loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 13] cluster : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<16xf32, #loop.space<shared>>, f32 {
  ^bb0(%row: index, %column: index, %v: f32):
    loop.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    loop.yield %a : f32
  }
  loop.end
}

// -----

loop.kernel @totals_of_a_thread(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %acc = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>
  %sums = loop.alloc : memref<32xf32, #loop.space<register>>
  %zero = arith.constant 0.000000e+00 : f32
  // expected-error@below {{totals are in shared memory, one for each of 32 rows}}
  loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 13] cluster : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf32, #loop.space<register>>, f32 {
  ^bb0(%row: index, %column: index, %v: f32):
    loop.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    loop.yield %a : f32
  }
  loop.end
}

// -----

loop.kernel @totals_of_another_type(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %acc = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>
  %sums = loop.alloc : memref<32xf16, #loop.space<shared>>
  %zero = arith.constant 0.000000e+00 : f32
  // expected-error@below {{totals, and what stands for none, are of f32}}
  loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 13] cluster : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf16, #loop.space<shared>>, f32 {
  ^bb0(%row: index, %column: index, %v: f32):
    loop.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    loop.yield %a : f32
  }
  loop.end
}

// -----

loop.kernel @nothing_of_another_type(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %acc = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>
  %sums = loop.alloc : memref<32xf32, #loop.space<shared>>
  %zero = arith.constant 0 : i32
  // expected-error@below {{totals, and what stands for none, are of f32}}
  loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 13] cluster : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf32, #loop.space<shared>>, i32 {
  ^bb0(%row: index, %column: index, %v: f32):
    loop.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    loop.yield %a : f32
  }
  loop.end
}

// -----

loop.kernel @yields_nothing(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %acc = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>
  %sums = loop.alloc : memref<32xf32, #loop.space<shared>>
  %zero = arith.constant 0.000000e+00 : f32
  // expected-error@below {{the region ends with loop.yield of the element, in f32}}
  loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 13] cluster : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf32, #loop.space<shared>>, f32 {
  ^bb0(%row: index, %column: index, %v: f32):
    loop.yield
  } combine {
  ^bb0(%a: f32, %b: f32):
    loop.yield %a : f32
  }
  loop.end
}

// -----

loop.kernel @combines_three(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %acc = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>
  %sums = loop.alloc : memref<32xf32, #loop.space<shared>>
  %zero = arith.constant 0.000000e+00 : f32
  // expected-error@below {{the second region takes two values of f32}}
  loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 13] cluster : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf32, #loop.space<shared>>, f32 {
  ^bb0(%row: index, %column: index, %v: f32):
    loop.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32, %c: f32):
    loop.yield %a : f32
  }
  loop.end
}

// -----

loop.kernel @combines_to_nothing(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %acc = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>
  %sums = loop.alloc : memref<32xf32, #loop.space<shared>>
  %zero = arith.constant 0.000000e+00 : f32
  // expected-error@below {{the second region ends with loop.yield of one value of f32}}
  loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 13] cluster : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf32, #loop.space<shared>>, f32 {
  ^bb0(%row: index, %column: index, %v: f32):
    loop.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @no_cluster(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %acc = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>
  %sums = loop.alloc : memref<32xf32, #loop.space<shared>>
  %zero = arith.constant 0.000000e+00 : f32
  // expected-error@below {{cluster is for a kernel with clusters; give it the key cluster}}
  loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 13] cluster : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf32, #loop.space<shared>>, f32 {
  ^bb0(%row: index, %column: index, %v: f32):
    loop.yield %v : f32
  } combine {
  ^bb0(%a: f32, %b: f32):
    loop.yield %a : f32
  }
  loop.end
}
