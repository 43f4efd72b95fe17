// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// Slices are brought up to the last one that the loop has.

// CHECK:      %[[N:.*]] = loop.index [%{{.*}} mod 9 + 1]
// CHECK:      %[[A:.*]] = loop.index [0]
// CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %[[A]], %[[N]] : index
// CHECK-NEXT: scf.if %[[C]] {
// CHECK:        loop.stage async
// CHECK:      gpu.cp_async_commit
// CHECK-NEXT: %[[B:.*]] = loop.index [1]
// CHECK-NEXT: %[[D:.*]] = arith.cmpi slt, %[[B]], %[[N]] : index
// CHECK-NEXT: scf.if %[[D]] {
// CHECK:        loop.stage async
// CHECK:      gpu.cp_async_commit
// CHECK-NEXT: loop.for %[[K:.*]] = 0 to 9 until %[[N]] kind = reduction map = serial {
// CHECK:        %[[L:.*]] = loop.index [%[[K]] + 2]
// CHECK-NEXT:   %[[E:.*]] = arith.cmpi slt, %[[L]], %[[N]] : index
// CHECK-NEXT:   scf.if %[[E]] {
// CHECK:          loop.stage async
// CHECK:        loop.contract
loop.kernel @g(%x: memref<16x144xf16>, %w: memref<8x144xf16>, %y: memref<16x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %n = loop.index [%t mod 9 + 1]
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 until %n kind = reduction map = serial attributes {pipeline = 3 : i64} {
      loop.stage %a map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 16 + %j] : memref<16x144xf16> -> f32
        loop.yield %e : f32
      }
      loop.stage %b map = <spatial(8, 2) * repeat(1, 8)> : memref<8x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%i, %k * 16 + %j] : memref<8x144xf16> -> f32
        loop.yield %e : f32
      }
      loop.contract %acc, %a, %b transpose_rhs : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<8x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
