// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// A tile that is staged right before the loop and taken to registers comes together with the first slice: it is there when one of two
// slices may still be under way.

// CHECK:      loop.stage async %qs
// CHECK:      %[[SLOTS:.*]] = loop.alloc : memref<3x16x16xf16, #loop.space<shared>>
// CHECK:      loop.stage async %[[SLOTS]][0]
// CHECK:      gpu.cp_async_commit
// CHECK:      loop.stage async %[[SLOTS]][1]
// CHECK:      gpu.cp_async_commit
// CHECK-NEXT: gpu.cp_async_wait {outstanding = 1 : i64}
// CHECK-NEXT: loop.load_fragment %qs
// CHECK-NEXT: loop.zero
// CHECK:      loop.for
// CHECK-NEXT:   gpu.cp_async_wait {outstanding = 1 : i64}
loop.kernel @attention(%x: memref<16x16xf16>, %a: memref<64x16xf16>, %b: memref<64x16xf16>, %y: memref<16x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %qs = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    loop.stage %qs map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<16x16xf16> -> f32
      loop.yield %e : f32
    }
    %q = loop.load_fragment %qs : memref<16x16xf16, #loop.space<shared>> -> memref<16x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
    %o = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %vs = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 4 kind = reduction map = serial attributes {pipeline = 3 : i64} {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %a[%k * 16 + %i, %j] : memref<64x16xf16> -> f32
        loop.yield %e : f32
      }
      loop.stage %vs map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %b[%k * 16 + %i, %j] : memref<64x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.contract %s, %q, %ks transpose_rhs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [61] for %o : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.contract %o, %s, %vs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.normalize %o zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
    loop.yield
  }
  loop.end
}
