// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Where a tile has columns that some row has no weight of, each score is kept up to the last column that
// there is, and up to the last one that its row sees.

// CHECK:      loop.for %[[K:.*]] = 0 to 3 kind
// CHECK:        %[[LAST:.*]] = loop.index [%[[K]] * 16 + 15]
// CHECK:        %[[A:.*]] = arith.cmpi sge, %[[LAST]], %{{.*}} : index
// CHECK:        %[[SEEN:.*]] = loop.index [%{{.*}} * 16 + 2]
// CHECK:        %[[B:.*]] = arith.cmpi sgt, %{{.*}}, %[[SEEN]] : index
// CHECK-NEXT:   %[[C:.*]] = arith.ori %[[A]], %[[B]] : i1
// CHECK-NEXT:   scf.if %[[C]] {
// CHECK:          %[[D:.*]] = arith.cmpi slt
// CHECK:          loop.index [%{{.*}} * 16 + %{{.*}} * 8 + %{{.*}} floordiv 4 + 2]
// CHECK:          %[[E:.*]] = arith.cmpi sle
// CHECK-NEXT:     %[[F:.*]] = arith.andi %[[D]], %[[E]] : i1
// CHECK:          arith.select %[[F]]
loop.kernel @attention(%a: memref<48x16xf16>, %b: memref<48x16xf16>, %y: memref<16x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %qs = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %q = loop.load_fragment %qs : memref<16x16xf16, #loop.space<shared>> -> memref<16x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
    %o = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %vs = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 3 kind = reduction map = serial {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %a[%k * 16 + %i, %j] : memref<48x16xf16> -> f32
        loop.yield %e : f32
      }
      loop.stage %vs map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %b[%k * 16 + %i, %j] : memref<48x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.contract %s, %q, %ks transpose_rhs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16, %t * 16 + 2] within [45] for %o : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.contract %o, %s, %vs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.normalize %o zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
    loop.yield
  }
  loop.end
}
