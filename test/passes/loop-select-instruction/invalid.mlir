// RUN: dlc-opt %s --loop-select-instruction --split-input-file --verify-diagnostics

loop.kernel @mapping_of_more_warps(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    // expected-error@below {{spatial(2, 1) is for 64 threads, the block has 32}}
    %acc = loop.zero : memref<32x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<32x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x8xf16, #loop.space<shared>>
    loop.contract %acc, %a, %b : memref<32x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1)>, #loop.space<register>>, memref<32x16xf16, #loop.space<shared>>, memref<16x8xf16, #loop.space<shared>>
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @other_use(%x: memref<32x8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<32x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(2, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<32x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x8xf16, #loop.space<shared>>
    loop.contract %acc, %a, %b : memref<32x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(2, 1)>, #loop.space<register>>, memref<32x16xf16, #loop.space<shared>>, memref<16x8xf16, #loop.space<shared>>
    // expected-error@below {{loop.load cannot use an accumulator, which is spread over the threads}}
    %v = loop.load %acc[0, 0] : memref<32x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(2, 1)>, #loop.space<register>> -> f32
    loop.yield
  }
  loop.end
}
