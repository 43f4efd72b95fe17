// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s
// The first slice is begun before the loop. An iteration begins its slice and ends the one before; copies go to the third slot.
// Scores are awaited, and the sums where they are rescaled. The last slice ends behind the loop.
// CHECK:      %weights = loop.zero : memref<64x16xf16,
// CHECK:      gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT: gpu.async_fence
// CHECK-NEXT: gpu.barrier
// CHECK:      gpu.cp_async_commit
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[S:.*]] = loop.zero
// CHECK-NEXT: loop.contract async %[[S]], %q, %{{.*}}[0] transpose_rhs
// CHECK-NEXT: gpu.wgmma_wait {outstanding = 0 : i64}
// CHECK-NEXT: loop.online_softmax %[[S]] at [%[[ZERO]] * 16] within [77] for %o :
// CHECK-NEXT: loop.round_fragment %[[S]] to %weights
// CHECK-NEXT: loop.for %[[K:.*]] = 1 to 5 kind = reduction map = serial {
// CHECK-NEXT:   gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT:   gpu.async_fence
// CHECK-NEXT:   gpu.barrier
// CHECK:          loop.stage async %{{.*}}[(%[[K]] + 1) mod 3]
// CHECK:        gpu.cp_async_commit
// CHECK-NEXT:   %[[S:.*]] = loop.zero
// CHECK-NEXT:   loop.contract async %[[S]], %q, %{{.*}}[%[[K]] mod 3] transpose_rhs
// CHECK-NEXT:   loop.contract async %o, %weights, %{{.*}}[(%[[K]] + 2) mod 3]
// CHECK-NEXT:   gpu.wgmma_wait {outstanding = 1 : i64}
// CHECK-NEXT:   loop.online_softmax %[[S]] at [%[[K]] * 16] within [77] for %o await :
// CHECK-NEXT:   loop.round_fragment %[[S]] to %weights
// CHECK-NEXT:   loop.yield
// CHECK-NEXT: }
// CHECK-NEXT: loop.contract async %o, %weights, %{{.*}}[1]
// CHECK-NEXT: gpu.wgmma_wait {outstanding = 0 : i64}
// CHECK-NEXT: loop.normalize
loop.kernel @attention(%a: memref<80x16xf16>, %b: memref<80x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %q = loop.alloc {swizzle = #gpu.swizzle<1, 4, 3>} : memref<64x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc {swizzle = #gpu.swizzle<1, 4, 3>} : memref<16x16xf16, #loop.space<shared>>
    %vs = loop.alloc {swizzle = #gpu.swizzle<1, 4, 3>} : memref<16x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 5 kind = reduction map = serial attributes {pipeline = 3 : i64, staggered} {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %a[%k * 16 + %i, %j] : memref<80x16xf16> -> f32
        loop.yield %e : f32
      }
      loop.stage %vs map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %b[%k * 16 + %i, %j] : memref<80x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %s, %q, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [77] for %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %o, %s, %vs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.normalize %o zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    loop.yield
  }
  loop.end
}
