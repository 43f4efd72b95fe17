// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// The weights are registers of their own. While they are multiplied, the factors of the sums are kept for each row; sums are
// rescaled when they are awaited, and the weights change after that.

// CHECK:      %[[O:.*]] = loop.alloc : memref<1x1x8xf32, #loop.space<register>>
// CHECK:      %[[W:.*]] = loop.alloc : memref<1x1x8xf16, #loop.space<register>>
// CHECK:        loop.store %{{.*}}, %[[W]][0, 0, %{{.*}}]
// CHECK:      loop.for %k = 0 to 5
// CHECK:        %[[S:.*]] = loop.alloc : memref<1x1x8xf32, #loop.space<register>>
// CHECK:        gpu.wgmma %[[W]][0, 0, 0], %vs[0, 0], %[[O]][0, 0, 0]
// CHECK-NOT:    %[[O]][
// CHECK-NOT:    %[[W]][
// CHECK:        %[[F:.*]] = loop.alloc : memref<1x2xf32, #loop.space<register>>
// CHECK:        %[[R:.*]] = math.exp2
// CHECK:        loop.store %[[R]], %[[F]][0, %{{.*}}]
// CHECK:        gpu.wgmma_wait {outstanding = 0 : i64}
// CHECK-NEXT:   loop.for %[[ROW:.*]] = 0 to 2
// CHECK-NEXT:     %[[F1:.*]] = loop.load %[[F]][0, %[[ROW]]]
// CHECK:          %[[OLD:.*]] = loop.load %[[O]]
// CHECK-NEXT:     %[[NEW:.*]] = arith.mulf %[[OLD]], %[[F1]]
// CHECK-NEXT:     loop.store %[[NEW]], %[[O]]
// CHECK:        loop.for %[[I:.*]] = 0 to 8 kind = parallel map = unroll {
// CHECK-NEXT:     %[[E:.*]] = loop.load %[[S]][0, 0, %[[I]]]
// CHECK-NEXT:     loop.store %[[E]], %[[W]][0, 0, %[[I]]] : f32 -> memref<1x1x8xf16
loop.kernel @attention(%a: memref<80x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %vs = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %weights = loop.zero : memref<64x16xf16, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    loop.for %k = 0 to 5 kind = reduction map = serial {
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract async %o, %weights, %vs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [80] for %o await : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.round_fragment %s to %weights : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.yield
    }
    loop.normalize %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    loop.yield
  }
  loop.end
}
