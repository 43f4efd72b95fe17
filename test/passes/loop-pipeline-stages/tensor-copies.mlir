// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// The first thread makes an object for each slot, and starts the copies of a slice behind the bytes that it expects; all wait
// for the phase of the slot. What threads copy themselves (%b) is awaited as ever.
// CHECK:       %full = loop.alloc : memref<2xi64
// CHECK-NEXT:  arith.constant 0
// CHECK-NEXT:  [[FIRST:%[0-9]+]] = arith.cmpi eq, %t
// CHECK-NEXT:  scf.if [[FIRST]]
// CHECK-COUNT-2: gpu.mbarrier_init %full
// CHECK:       gpu.barrier
// CHECK:       loop.stage async %b[0] map
// CHECK:       scf.if [[FIRST]]
// CHECK-NEXT:  gpu.mbarrier_arrive %full[0] {bytes = 2048 : i64}
// CHECK-NEXT:  loop.stage async tensor %a[0] at %full[0] map
// CHECK:       gpu.cp_async_commit
// CHECK-NEXT:  loop.for %k = 0 to 9
// CHECK-NEXT:  {{%[0-9]+}} = loop.index [%k floordiv 2 mod 2]
// CHECK-NEXT:  gpu.mbarrier_wait %full[%k mod 2] parity
// CHECK-NEXT:  gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT:  gpu.barrier
// CHECK:       gpu.mbarrier_arrive %full[(%k + 1) mod 2] {bytes = 2048 : i64}
// CHECK-NEXT:  loop.stage async tensor %a[(%k + 1) mod 2] at %full[(%k + 1) mod 2]
// CHECK:       loop.contract
loop.kernel @g(%x: memref<16x576xf16>, %w: memref<8x576xf16>, %y: memref<16x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<16x64xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x64xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64} {
      loop.stage tensor %a map = <repeat(4, 1) * spatial(4, 8) * repeat(1, 8)> : memref<16x64xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 64 + %j] : memref<16x576xf16> -> f32
        loop.yield %e : f32
      }
      loop.stage %b map = <repeat(2, 1) * spatial(4, 8) * repeat(1, 8)> : memref<8x64xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%i, %k * 64 + %j] : memref<8x576xf16> -> f32
        loop.yield %e : f32
      }
      loop.contract %acc, %a, %b transpose_rhs : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>, memref<8x64xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
