// RUN: dlc-opt %s --loop-select-instruction | filecheck %s
// The lhs of the first product is loaded once. Rows of sums have a largest score and a total beside them. Scores
// of columns that are not there are minus infinity, in the last tile only. The weights, rounded, are the lhs of
// the second product; the largest score of a row, and the total at the end, go around its four lanes.

// CHECK:      %[[Q:.*]] = loop.alloc : memref<1x1x8xf16, #loop.space<register>>
// CHECK-NEXT: gpu.ldmatrix %qs[{{.*}}] to %[[Q]][0, 0, 0] {matrices = 4 : i64}
// CHECK:      %[[O:.*]] = loop.alloc : memref<1x2x4xf32, #loop.space<register>>
// CHECK:      %[[M:.*]] = loop.alloc : memref<1x2xf32, #loop.space<register>>
// CHECK-NEXT: %[[L:.*]] = loop.alloc : memref<1x2xf32, #loop.space<register>>
// CHECK:      loop.for %[[K:.*]] = 0 to 3
// CHECK:        %[[S:.*]] = loop.alloc : memref<1x2x4xf32, #loop.space<register>>
// CHECK:        gpu.mma %[[Q]][0, 0, 0], %{{.*}}, %[[S]][0, %{{.*}}, 0] {shape = "m16n8k16"}
// CHECK:        %[[LAST:.*]] = loop.index [%[[K]] * 16 + 15]
// CHECK:        scf.if
// CHECK:          arith.select
// CHECK:        arith.maximumf
// CHECK:        gpu.shuffle xor %{{.*}}, 2 : f32
// CHECK:        gpu.shuffle xor %{{.*}}, 1 : f32
// CHECK:        %[[R:.*]] = math.exp2 %{{.*}} fastmath<afn>
// CHECK:        %[[F:.*]] = math.fma %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:   %[[W:.*]] = math.exp2 %[[F]] fastmath<afn>
// CHECK-NEXT:   loop.store %[[W]], %[[S]][
// CHECK:        arith.mulf %{{.*}}, %[[R]]
// CHECK-NEXT:   loop.store %{{.*}}, %[[O]][
// CHECK:        %[[P:.*]] = loop.alloc : memref<1x1x8xf16, #loop.space<register>>
// CHECK:        gpu.mma %[[P]][0, 0, 0], %{{.*}}, %[[O]][0, %{{.*}}, 0] {shape = "m16n8k16"}
// CHECK:      gpu.shuffle xor %{{.*}}, 2 : f32
// CHECK:      gpu.shuffle xor %{{.*}}, 1 : f32
// CHECK:      arith.select
// CHECK-NEXT: loop.store %{{.*}}, %[[O]][
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
      loop.online_softmax %s at [%k * 16] within [45] for %o : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.contract %o, %s, %vs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.normalize %o zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
    loop.yield
  }
  loop.end
}
