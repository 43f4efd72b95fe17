// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// Three slots and three slices: all come before the loop, no slot is written twice. An iteration waits for its own slice.

// CHECK:      loop.stage async %[[X:.*]][0] map
// CHECK:      gpu.cp_async_commit
// CHECK:      loop.stage async %[[X]][1] map
// CHECK:      gpu.cp_async_commit
// CHECK:      loop.stage async %[[X]][2] map
// CHECK:      gpu.cp_async_commit
// CHECK-NEXT: loop.for %[[K:.*]] = 0 to 3
// CHECK-NEXT:   gpu.cp_async_wait {outstanding = 2 : i64}
// CHECK-NEXT:   gpu.barrier
// CHECK-NOT:    loop.stage
// CHECK:        gpu.cp_async_commit
// CHECK-NEXT:   loop.contract %acc, %[[X]][%[[K]]]
loop.kernel @g(%x: memref<16x48xf16>, %w: memref<8x48xf16>, %y: memref<16x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 3 kind = reduction map = serial attributes {pipeline = 3 : i64} {
      loop.stage %a map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 16 + %j] : memref<16x48xf16> -> f32
        loop.yield %e : f32
      }
      loop.stage %b map = <spatial(8, 2) * repeat(1, 8)> : memref<8x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%i, %k * 16 + %j] : memref<8x48xf16> -> f32
        loop.yield %e : f32
      }
      loop.contract %acc, %a, %b transpose_rhs : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<8x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
