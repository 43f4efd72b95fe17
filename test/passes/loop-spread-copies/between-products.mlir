// RUN: dlc-opt %s --loop-spread-copies | filecheck %s

// Copies stand in front of the products of the first two steps, the commit in front of the last ones.
// CHECK-LABEL: loop.kernel @steps
// CHECK:       gpu.barrier
// CHECK-NEXT:  %[[S:.*]] = loop.index [%k + 1]
// CHECK-NEXT:  %[[MORE:.*]] = arith.cmpi slt, %[[S]]
// CHECK-NEXT:  %[[P:.*]] = loop.index [%[[S]] * 8]
// CHECK-NEXT:  gpu.ldmatrix
// CHECK-NEXT:  scf.if %[[MORE]] {
// CHECK-NEXT:    gpu.cp_async %x[%t, %[[P]]] to %s[0, %t, 0]
// CHECK-NEXT:  }
// CHECK-NEXT:  loop.for %{{.*}} = 0 to 2 kind = parallel map = unroll {
// CHECK-NEXT:    gpu.mma
// CHECK:       gpu.ldmatrix
// CHECK-NEXT:  scf.if %[[MORE]] {
// CHECK-NEXT:    gpu.cp_async %x[%t, %[[P]]] to %s[1, %t, 0]
// CHECK-NEXT:  }
// CHECK-NEXT:  loop.for
// CHECK:       gpu.ldmatrix
// CHECK-NEXT:  gpu.cp_async_commit
// CHECK-NEXT:  loop.for
loop.kernel @steps(%x: memref<32x80xf16>, %y: memref<1xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %s = loop.alloc : memref<2x32x8xf16, #loop.space<shared>>
    %a = loop.alloc : memref<8xf16, #loop.space<register>>
    %c = loop.alloc : memref<2x4xf32, #loop.space<register>>
    %end = arith.constant 9 : index
    loop.for %k = 0 to 9 kind = reduction map = serial {
      gpu.barrier
      %next = loop.index [%k + 1]
      %more = arith.cmpi slt, %next, %end : index
      scf.if %more {
        %place = loop.index [%next * 8]
        gpu.cp_async %x[%t, %place] to %s[0, %t, 0] {bytes = 16 : i64} : memref<32x80xf16>, memref<2x32x8xf16, #loop.space<shared>>
        gpu.cp_async %x[%t, %place] to %s[1, %t, 0] {bytes = 16 : i64} : memref<32x80xf16>, memref<2x32x8xf16, #loop.space<shared>>
      }
      gpu.cp_async_commit
      gpu.ldmatrix %s[0, %t, 0] to %a[0] {matrices = 4 : i64} : memref<2x32x8xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>
      loop.for %j = 0 to 2 kind = parallel map = unroll {
        gpu.mma %a[0], %a[0], %c[%j, 0] {shape = "m16n8k16"} : memref<8xf16, #loop.space<register>>, memref<8xf16, #loop.space<register>>, memref<2x4xf32, #loop.space<register>>
        loop.yield
      }
      gpu.ldmatrix %s[0, %t, 0] to %a[0] {matrices = 4 : i64} : memref<2x32x8xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>
      loop.for %j = 0 to 2 kind = parallel map = unroll {
        gpu.mma %a[0], %a[0], %c[%j, 0] {shape = "m16n8k16"} : memref<8xf16, #loop.space<register>>, memref<8xf16, #loop.space<register>>, memref<2x4xf32, #loop.space<register>>
        loop.yield
      }
      gpu.ldmatrix %s[0, %t, 0] to %a[0] {matrices = 4 : i64} : memref<2x32x8xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>
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
