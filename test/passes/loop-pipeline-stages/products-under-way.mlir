// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// Products of a warpgroup go on while the threads do: they start before the copies of a later slice.
// With four slots those of the slice before are under way, too, so the copies go into the slot of the
// one before that. What copies wrote is made visible to the products before the barrier.

// CHECK:      %[[X:.*]] = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<4x64x64xf16, #loop.space<shared>>
// CHECK:      loop.stage async %[[X]][0]
// CHECK:      loop.stage async %[[X]][1]
// CHECK-NOT:  loop.stage async %[[X]][2]
// CHECK:      loop.for %[[K:.*]] = 0 to 9 kind = reduction map = serial {
// CHECK-NEXT:   gpu.cp_async_wait {outstanding = 1 : i64}
// CHECK-NEXT:   gpu.async_fence
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   loop.contract async %acc, %[[X]][%[[K]] mod 4], %{{.*}}[%[[K]] mod 4] transpose_rhs
// CHECK:        scf.if
// CHECK:          loop.stage async %[[X]][(%[[K]] + 2) mod 4]
// CHECK:        gpu.cp_async_commit
// CHECK-NEXT:   gpu.wgmma_wait {outstanding = 1 : i64}
// CHECK-NEXT:   loop.yield
// CHECK-NEXT: }
// CHECK-NEXT: gpu.wgmma_wait {outstanding = 0 : i64}
loop.kernel @four_slots(%x: memref<64x576xf16>, %w: memref<8x576xf16>, %y: memref<64x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %acc = loop.zero : memref<64x8xf32, #loop.spread<instruction = "wgmma.m64n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
    %b = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<8x64xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 4 : i64} {
      loop.stage %a map = <repeat(4, 1) * spatial(16, 8) * repeat(1, 8)> : memref<64x64xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 64 + %j] : memref<64x576xf16> -> f32
        loop.yield %e : f32
      }
      loop.stage %b map = <spatial(8, 8) * repeat(1, 8)> : memref<8x64xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%i, %k * 64 + %j] : memref<8x576xf16> -> f32
        loop.yield %e : f32
      }
      loop.contract %acc, %a, %b transpose_rhs : memref<64x8xf32, #loop.spread<instruction = "wgmma.m64n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<64x64xf16, #loop.space<shared>>, memref<8x64xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
