// RUN: dlc-opt %s --loop-select-instruction --split-input-file --verify-diagnostics

loop.kernel @mapping_of_more_warps(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<32x8xf32, #loop.space<register>>
    %a = loop.alloc : memref<32x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x8xf16, #loop.space<shared>>
    // expected-error@below {{spatial(2, 1) is for 64 threads, the block has 32}}
    loop.contract %acc, %a, %b instruction = "mma.m16n8k16" map = <spatial(2, 1)> : memref<32x8xf32, #loop.space<register>>, memref<32x16xf16, #loop.space<shared>>, memref<16x8xf16, #loop.space<shared>>
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @nothing_says_who_has_what(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    // expected-error@below {{an accumulator needs contractions, all with one instruction and map}}
    %acc = loop.zero : memref<32x8xf32, #loop.space<register>>
    loop.drain %acc at [0, 0] within [8, 1] : memref<32x8xf32, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      loop.store %v, %x[%i] : f32 -> memref<8xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @other_use(%x: memref<32x8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<32x8xf32, #loop.space<register>>
    %a = loop.alloc : memref<32x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x8xf16, #loop.space<shared>>
    loop.contract %acc, %a, %b instruction = "mma.m16n8k16" map = <repeat(2, 1)> : memref<32x8xf32, #loop.space<register>>, memref<32x16xf16, #loop.space<shared>>, memref<16x8xf16, #loop.space<shared>>
    // expected-error@below {{loop.load cannot use an accumulator, which is spread over the threads}}
    %v = loop.load %acc[0, 0] : memref<32x8xf32, #loop.space<register>> -> f32
    loop.yield
  }
  loop.end
}
