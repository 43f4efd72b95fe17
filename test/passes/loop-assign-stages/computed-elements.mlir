// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// What is computed goes through registers, in as many rounds as the mapping has, and so does what no
// copy can move: rows of 33 elements are not aligned to 4 bytes. Both tiles are awaited together; 32
// of the 128 threads have nothing to do for the second.

// CHECK:      loop.for %[[R:.*]] = 0 to 8 kind = parallel map = unroll {
// CHECK-NEXT:   %[[V:.*]] = loop.load %x[%[[R]] * 4 + %t floordiv 32, %t mod 32] : memref<32x33xf16> -> f32
// CHECK-NEXT:   %[[E:.*]] = math.exp %[[V]] : f32
// CHECK-NEXT:   loop.store %[[E]], %s[%[[R]] * 4 + %t floordiv 32, %t mod 32]
// CHECK:      arith.cmpi slt, %t, %{{.*}} : index
// CHECK-NEXT: scf.if
// CHECK-NEXT:   loop.load %x[%t floordiv 32, %t mod 32]
// CHECK-NEXT:   loop.store %{{.*}}, %r[%t floordiv 32, %t mod 32]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.cp_async_commit
// CHECK-NEXT: gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT: loop.yield
loop.kernel @g(%x: memref<32x33xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %s = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    %r = loop.alloc : memref<3x32xf16, #loop.space<shared>>
    loop.stage %s map = <repeat(8, 1) * spatial(4, 32)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %v = loop.load %x[%i, %j] : memref<32x33xf16> -> f32
      %e = math.exp %v : f32
      loop.yield %e : f32
    }
    loop.stage %r map = <spatial(3, 32)> : memref<3x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %v = loop.load %x[%i, %j] : memref<32x33xf16> -> f32
      loop.yield %v : f32
    }
    loop.yield
  }
  loop.end
}
