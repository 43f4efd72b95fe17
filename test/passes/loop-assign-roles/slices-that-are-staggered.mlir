// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// Those who multiply begin a slice while the one before ends, and give that one's slot back then.

// CHECK:      gpu.mbarrier_wait %full_whole[0]
// CHECK-NEXT: %weights = loop.zero : memref<64x16xf16,
// CHECK:      gpu.mbarrier_wait %full[0]
// CHECK:      loop.contract async %[[S:.*]], %{{.*}}, %{{.*}}[0] transpose_rhs
// CHECK-NEXT: gpu.wgmma_wait {outstanding = 0 : i64}
// CHECK-NEXT: loop.online_softmax %[[S]] at [%{{.*}} * 16] within [48] for %o :
// CHECK-NEXT: loop.round_fragment %[[S]] to %weights
// CHECK-NEXT: loop.for %[[K:.*]] = 1 to 3 kind = reduction map = serial {
// CHECK:        gpu.mbarrier_wait %full[%[[K]] mod 2]
// CHECK:        loop.contract async %[[S:.*]], %{{.*}}, %{{.*}}[%[[K]] mod 2] transpose_rhs
// CHECK-NEXT:   loop.contract async %o, %weights, %{{.*}}[(%[[K]] + 1) mod 2]
// CHECK-NEXT:   gpu.wgmma_wait {outstanding = 1 : i64}
// CHECK-NEXT:   loop.online_softmax %[[S]] at [%[[K]] * 16] within [48] for %o await :
// CHECK-NEXT:   loop.round_fragment %[[S]] to %weights
// CHECK:        gpu.mbarrier_arrive %empty[(%[[K]] + 1) mod 2]
// CHECK:      loop.contract async %o, %weights, %{{.*}}[0]
// CHECK-NEXT: gpu.wgmma_wait {outstanding = 0 : i64}
// CHECK:      gpu.mbarrier_arrive %empty[0]
// CHECK:      loop.normalize
// CHECK:      }, {
// CHECK:      loop.for %[[K:.*]] = 0 to 3
// CHECK:        gpu.mbarrier_wait %empty[%[[K]] mod 2]
loop.kernel @g(%x: memref<64x16xf16>, %w: memref<48x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %qs = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    loop.stage tensor %qs map = <repeat(1, 1) * spatial(64, 2) * repeat(1, 8)> : memref<64x16xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<64x16xf16> -> f32
      loop.yield %e : f32
    }
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 3 kind = reduction map = serial attributes {pipeline = 2 : i64, staggered, producers = 1 : i64} {
      loop.stage tensor %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%k * 16 + %i, %j] : memref<48x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %s, %qs, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [48] for %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %o, %s, %ks : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.normalize %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    loop.yield
  }

  loop.end
}
