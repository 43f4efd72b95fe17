// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// Two rounds of 32 lines by 4 chunks; the guard and the branch are the condition of each copy, as far
// as the lines of a round can be past the limit of 50 or outside of the buffer at all.

// CHECK:      loop.for %k = 0 to 4
// CHECK:        %[[ALWAYS:.*]] = arith.constant true
// CHECK:        %[[BELOW:.*]] = arith.cmpi sge
// CHECK:        %[[GUARD:.*]] = arith.andi %[[BELOW]]
// CHECK:        %[[IN:.*]] = arith.andi %[[ALWAYS]], %[[GUARD]]
// CHECK-NEXT:   gpu.cp_async %x[%t floordiv 4 - 1, %k * 32 + %t mod 4 * 8] to %s[%k mod 2, %t floordiv 4, %t mod 4 * 8] if %[[IN]] {bytes = 16 : i64}
// CHECK:        %[[LIMIT:.*]] = arith.cmpi slt
// CHECK:        %[[BOTH:.*]] = arith.andi %[[LIMIT]]
// CHECK-NEXT:   gpu.cp_async %x[%t floordiv 4 + 31, %k * 32 + %t mod 4 * 8] to %s[%k mod 2, %t floordiv 4 + 32, %t mod 4 * 8] if %[[BOTH]] {bytes = 16 : i64}
// CHECK-NOT:    gpu.cp_async_commit
// CHECK-NOT:    loop.stage
loop.kernel @g(%x: memref<60x128xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %s = loop.alloc : memref<2x64x32xf16, #loop.space<shared>>
    loop.for %k = 0 to 4 kind = reduction map = serial {
      loop.stage async %s[%k mod 2] map = <repeat(2, 1) * spatial(32, 4) * repeat(1, 8)> : memref<2x64x32xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %rows = arith.constant 50 : index
        %zero = arith.constant 0.0 : f32
        %in = arith.cmpi slt, %i, %rows : index
        %e = scf.if %in -> (f32) {
          %v = loop.load %x[%i - 1, %k * 32 + %j] guard [0] fill 0.0 : f32 : memref<60x128xf16> -> f32
          scf.yield %v : f32
        } else {
          scf.yield %zero : f32
        }
        loop.yield %e : f32
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
