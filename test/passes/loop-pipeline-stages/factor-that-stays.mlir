// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// There are fewer slices than slots: two are brought before the loop, and three copies are counted.
// %b is the same for all slices and has no slots.
// CHECK:       loop.alloc : memref<8x16xf16
// CHECK:       loop.stage %b
// CHECK-COUNT-2: loop.stage async
// CHECK-NOT:   loop.stage async
// CHECK:       loop.for %k = 0 to 2
// CHECK:       loop.contract %acc, %a[%k], %b transpose_rhs
loop.kernel @g(%x: memref<16x144xf16>, %w: memref<8x144xf16>, %y: memref<16x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x16xf16, #loop.space<shared>>
    loop.stage %b map = <spatial(8, 2) * repeat(1, 8)> : memref<8x16xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %w[%i, %j] : memref<8x144xf16> -> f32
      loop.yield %e : f32
    }
    loop.for %k = 0 to 2 kind = reduction map = serial attributes {pipeline = 4 : i64} {
      loop.stage %a map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 16 + %j] : memref<16x144xf16> -> f32
        loop.yield %e : f32
      }
      loop.contract %acc, %a, %b transpose_rhs : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<8x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
