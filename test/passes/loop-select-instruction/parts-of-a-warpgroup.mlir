// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Two products beside each other, and two below: their sums are parts of one register buffer. Async
// products are only committed.

// CHECK-LABEL: @parts
// CHECK:      %[[R:.*]] = loop.alloc : memref<2x2x4xf32, #loop.space<register>>
// CHECK:      gpu.wgmma_fence
// CHECK-NEXT: loop.for %[[S:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK-NEXT:   loop.for %[[I:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK-NEXT:     loop.for %[[J:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK-NEXT:       gpu.wgmma %a[%[[I]] * 64, %[[S]] * 16], %b[%[[J]] * 8, %[[S]] * 16], %[[R]][%[[I]], %[[J]], 0] {shape = "m64n8k16"}
// CHECK:      gpu.wgmma_commit
// CHECK-NOT:  gpu.wgmma_wait
// CHECK:      loop.end
loop.kernel @parts(%a: memref<128x32xf16, #loop.space<shared>>, %b: memref<16x32xf16, #loop.space<shared>>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %acc = loop.zero : memref<128x16xf32, #loop.spread<instruction = "wgmma.m64n8k16", map = repeat(2, 2)>, #loop.space<register>>
    loop.contract async %acc, %a, %b transpose_rhs : memref<128x16xf32, #loop.spread<instruction = "wgmma.m64n8k16", map = repeat(2, 2)>, #loop.space<register>>, memref<128x32xf16, #loop.space<shared>>, memref<16x32xf16, #loop.space<shared>>
    loop.yield
  }
  loop.end
}
