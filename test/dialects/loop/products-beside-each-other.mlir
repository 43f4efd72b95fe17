// RUN: %roundtrip

// CHECK: loop.kernel @products_beside_each_other
loop.kernel @products_beside_each_other(%s: memref<16x32xf16, #loop.space<shared>>, %r: memref<32x16xf16, #loop.space<shared>>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %a = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>
    // CHECK: loop.contract %a, %s, %r transpose_rhs {groups = 2 : i64} : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<32x16xf16, #loop.space<shared>>
    loop.contract %a, %s, %r transpose_rhs {groups = 2 : i64} : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<32x16xf16, #loop.space<shared>>
    loop.yield
  }
  loop.end
}
