// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// With two slots there is none to spare: each slice waits for its own products.

// CHECK-LABEL: @two_slots
// CHECK:       gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT:  gpu.async_fence
// CHECK-NEXT:  gpu.barrier
// CHECK-NEXT:  loop.contract async
// CHECK:         loop.stage async %{{.*}}[(%{{.*}} + 1) mod 2]
// CHECK:       gpu.cp_async_commit
// CHECK-NEXT:  gpu.wgmma_wait {outstanding = 0 : i64}
// CHECK-NEXT:  loop.yield
// CHECK-NEXT:  }
// CHECK-NOT:   gpu.wgmma_wait
loop.kernel @two_slots(%x: memref<64x576xf16>, %b: memref<8x64xf16, #loop.space<shared>>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %acc = loop.zero : memref<64x8xf32, #loop.spread<instruction = "wgmma.m64n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<64x64xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64} {
      loop.stage %a map = <repeat(4, 1) * spatial(16, 8) * repeat(1, 8)> : memref<64x64xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 64 + %j] : memref<64x576xf16> -> f32
        loop.yield %e : f32
      }
      loop.contract %acc, %a, %b transpose_rhs : memref<64x8xf32, #loop.spread<instruction = "wgmma.m64n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<64x64xf16, #loop.space<shared>>, memref<8x64xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
