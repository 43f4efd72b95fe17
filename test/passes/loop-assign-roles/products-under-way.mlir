// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// Products of a slice are under way while the next one is waited for; then the slot of the slice before is given back, and
// that of the last slice after the loop. Threads have copied the slice: the fence lets the products see it.

// CHECK:      loop.roles
// CHECK:        loop.for %k
// CHECK:          gpu.mbarrier_wait %full[
// CHECK-NEXT:     gpu.async_fence
// CHECK-NEXT:     loop.contract async
// CHECK-NEXT:     gpu.wgmma_wait {outstanding = 1 : i64}
// CHECK:          %[[LATER:.*]] = arith.cmpi sgt, %k
// CHECK-NEXT:     scf.if %[[LATER]] {
// CHECK-NEXT:       gpu.warp_barrier
// CHECK:            gpu.mbarrier_arrive %empty[(%k + 3) mod
// CHECK:          loop.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   gpu.wgmma_wait {outstanding = 0 : i64}
// CHECK-NEXT:   gpu.warp_barrier
// CHECK:        gpu.mbarrier_arrive %empty[
loop.kernel @four_slots(%x: memref<64x576xf16>, %w: memref<8x576xf16>, %y: memref<64x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %acc = loop.zero : memref<64x8xf32, #loop.spread<instruction = "wgmma.m64n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
    %b = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<8x64xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 4 : i64, producers = 4 : i64} {
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
