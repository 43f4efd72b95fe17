// RUN: dlc-opt %s -t c --split-input-file --verify-diagnostics

// The buffers of loops after each other lie in the same place: 64 KiB are needed, which is allowed.
loop.kernel @after_each_other(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  loop.for %i = 0 to 8 kind = parallel map = serial {
    %a = loop.alloc : memref<16384xf32, #loop.space<register>>
    loop.yield
  }
  loop.for %i = 0 to 8 kind = parallel map = serial {
    %a = loop.alloc : memref<16384xf32, #loop.space<register>>
    loop.yield
  }
  loop.end
}

// -----

// expected-error @below {{kernel inside_each_other needs 65544 bytes of a thread's stack, which may have 65536}}
loop.kernel @inside_each_other(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.alloc : memref<1xf64, #loop.space<register>>
  loop.for %i = 0 to 8 kind = parallel map = serial {
    %b = loop.alloc : memref<16384xf32, #loop.space<register>>
    loop.yield
  }
  loop.end
}
