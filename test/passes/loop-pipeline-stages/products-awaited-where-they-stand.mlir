// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// Products by warpgroups, and work on their sums between them: each is awaited where it stands, so none is async. What
// threads have copied is made visible to the instructions that read it in shared memory.

// CHECK:      loop.for %[[K:.*]] = 0 to 3 kind = reduction map = serial {
// CHECK-NEXT:   gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT:   gpu.async_fence
// CHECK-NEXT:   gpu.barrier
// CHECK:        gpu.cp_async_commit
// CHECK-NEXT:   %[[S:.*]] = loop.zero
// CHECK-NEXT:   loop.contract %[[S]], %q, %{{.*}}[%[[K]] mod 2] transpose_rhs
// CHECK-NEXT:   loop.online_softmax %[[S]]
// CHECK-NEXT:   loop.contract %o, %[[S]], %{{.*}}[%[[K]] mod 2]
// CHECK-NEXT:   loop.yield
// CHECK-NEXT: }
// CHECK-NEXT: loop.normalize
loop.kernel @attention(%a: memref<48x16xf16>, %b: memref<48x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %q = loop.alloc {swizzle = #gpu.swizzle<1, 4, 3>} : memref<64x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc {swizzle = #gpu.swizzle<1, 4, 3>} : memref<16x16xf16, #loop.space<shared>>
    %vs = loop.alloc {swizzle = #gpu.swizzle<1, 4, 3>} : memref<16x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 3 kind = reduction map = serial attributes {pipeline = 2 : i64} {
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
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %s, %q, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [45] for %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %o, %s, %vs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.normalize %o zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    loop.yield
  }
  loop.end
}
