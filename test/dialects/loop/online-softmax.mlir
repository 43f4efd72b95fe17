// RUN: %roundtrip

// CHECK: loop.kernel @attention
loop.kernel @attention(%m: memref<30x21xf16>, %y: memref<30x24xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    %qs = loop.alloc : memref<32x48xf16, #loop.space<shared>>
    %qt = loop.alloc : memref<48x32xf16, #loop.space<shared>>
    %ks = loop.alloc : memref<16x48xf16, #loop.space<shared>>
    %vs = loop.alloc : memref<16x24xf16, #loop.space<shared>>
    // CHECK: %q = loop.load_fragment %qs : memref<32x48xf16, #loop.space<shared>> -> memref<32x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 6)>, #loop.space<register>>
    %q = loop.load_fragment %qs : memref<32x48xf16, #loop.space<shared>> -> memref<32x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 6)>, #loop.space<register>>
    // CHECK: %p = loop.load_fragment %qt transpose : memref<48x32xf16, #loop.space<shared>> -> memref<32x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 6)>, #loop.space<register>>
    %p = loop.load_fragment %qt transpose : memref<48x32xf16, #loop.space<shared>> -> memref<32x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 6)>, #loop.space<register>>
    %o = loop.zero : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
    loop.for %k = 0 to 2 kind = reduction map = serial {
      %s = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>
      // CHECK: loop.contract %s, %q, %ks transpose_rhs : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 6)>, #loop.space<register>>, memref<16x48xf16, #loop.space<shared>>
      loop.contract %s, %q, %ks transpose_rhs : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 6)>, #loop.space<register>>, memref<16x48xf16, #loop.space<shared>>
      // CHECK: loop.map_accumulator %s at [0, %k * 16] within [30, 21] : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>> {
      // CHECK-NEXT: ^bb0(%row: index, %column: index, %v: f32):
      loop.map_accumulator %s at [0, %k * 16] within [30, 21] : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>> {
      ^bb0(%row: index, %column: index, %v: f32):
        %e = loop.load %m[%row, %column] : memref<30x21xf16> -> f32
        %w = arith.addf %v, %e : f32
        // CHECK: loop.yield %w : f32
        loop.yield %w : f32
      }
      // CHECK: loop.online_softmax %s at [%k * 16] within [21] for %o : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
      loop.online_softmax %s at [%k * 16] within [21] for %o : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
      // CHECK: loop.online_softmax %s at [%k * 16, %t * 2] within [21] for %o : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
      loop.online_softmax %s at [%k * 16, %t * 2] within [21] for %o : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
      // CHECK: loop.online_softmax %s at [%k * 16] within [21] for %o await : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
      loop.online_softmax %s at [%k * 16] within [21] for %o await : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
      %r = loop.zero : memref<32x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>
      // CHECK: loop.round_fragment %s to %r : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.round_fragment %s to %r : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>
      // CHECK: loop.contract %o, %s, %vs : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>, memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x24xf16, #loop.space<shared>>
      loop.contract %o, %s, %vs : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>, memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x24xf16, #loop.space<shared>>
      loop.yield
    }
    // CHECK: loop.normalize %o : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
    loop.normalize %o : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
    // CHECK: loop.normalize %o zero : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
    loop.normalize %o zero : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
    loop.yield
  }
  loop.end
}
