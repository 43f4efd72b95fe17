// RUN: dlc-opt %s --loop-spread-copies | filecheck %s

// What is stored in the condition, too, stays in its order with the copies.
// CHECK-LABEL: loop.kernel @other_effects
// CHECK:      scf.if
// CHECK-NEXT:   gpu.cp_async %x
// CHECK-NEXT:   loop.store
// CHECK-NEXT: }
// CHECK-NEXT: gpu.cp_async_commit
loop.kernel @other_effects(%x: memref<32x80xf16>, %y: memref<1xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %s = loop.alloc : memref<2x32x8xf16, #loop.space<shared>>
    %a = loop.alloc : memref<8xf16, #loop.space<register>>
    %c = loop.alloc : memref<2x4xf32, #loop.space<register>>
    %end = arith.constant 9 : index
    %z = arith.constant 0.0 : f32
    loop.for %k = 0 to 9 kind = reduction map = serial {
      %more = arith.cmpi slt, %k, %end : index
      scf.if %more {
        gpu.cp_async %x[%t, 0] to %s[0, %t, 0] {bytes = 16 : i64} : memref<32x80xf16>, memref<2x32x8xf16, #loop.space<shared>>
        loop.store %z, %c[0, 0] : f32 -> memref<2x4xf32, #loop.space<register>>
      }
      gpu.cp_async_commit
      loop.for %j = 0 to 2 kind = parallel map = unroll {
        gpu.mma %a[0], %a[0], %c[%j, 0] {shape = "m16n8k16"} : memref<8xf16, #loop.space<register>>, memref<8xf16, #loop.space<register>>, memref<2x4xf32, #loop.space<register>>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
