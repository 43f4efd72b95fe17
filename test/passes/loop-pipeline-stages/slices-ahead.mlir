// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// Three slots: two slices are on their way before the loop; an iteration waits for its own, starts the
// copy of the one that is two ahead where there is one, and multiplies.

// CHECK:      %[[X:.*]] = loop.alloc : memref<3x16x16xf16, #loop.space<shared>>
// CHECK:      %[[ZERO:.*]] = loop.index [0]
// CHECK:      loop.stage async %[[X]][0] map = <spatial(16, 2) * repeat(1, 8)>
// CHECK:        loop.load %x[%{{.*}}, %[[ZERO]] * 16 + %{{.*}}]
// CHECK:      loop.stage async %{{.*}}[0]
// CHECK:      gpu.cp_async_commit
// CHECK:      %[[ONE:.*]] = loop.index [1]
// CHECK-NEXT: loop.stage async %[[X]][1]
// CHECK:        loop.load %x[%{{.*}}, %[[ONE]] * 16 + %{{.*}}]
// CHECK:      gpu.cp_async_commit
// CHECK-NEXT: loop.for %[[K:.*]] = 0 to 9 kind = reduction map = serial {
// CHECK-NEXT:   gpu.cp_async_wait {outstanding = 1 : i64}
// CHECK-NEXT:   gpu.barrier
// CHECK:        scf.if
// CHECK-NEXT:     %[[AHEAD:.*]] = loop.index [%[[K]] + 2]
// CHECK-NEXT:     loop.stage async %[[X]][(%[[K]] + 2) mod 3]
// CHECK:            loop.load %x[%{{.*}}, %[[AHEAD]] * 16 + %{{.*}}]
// CHECK:        gpu.cp_async_commit
// CHECK-NEXT:   loop.contract %acc, %[[X]][%[[K]] mod 3], %{{.*}}[%[[K]] mod 3] transpose_rhs
// CHECK-NEXT:   loop.yield
// CHECK-NOT:  loop.stage
loop.kernel @g(%x: memref<16x144xf16>, %w: memref<8x144xf16>, %y: memref<16x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<8x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 3 : i64} {
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
