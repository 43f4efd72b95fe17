// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Lines along the rows of a factor: the instruction transposes. Both tiles lie in groups of 64; slots
// come before them.

// CHECK: gpu.wgmma %a[%k mod 2, %[[W:.*]] floordiv 4, %[[S:.*]] * 16, 0], %b[0, %[[S]] * 16, 0], %{{.*}}[0, 0, 0] {shape = "m64n128k16", transpose_a, transpose_b}
loop.kernel @g(%b: memref<2x64x64xf16, #loop.space<shared>>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 256 kind = parallel map = thread {
    %acc = loop.zero : memref<128x128xf32, #loop.spread<instruction = "wgmma.m64n128k16", map = spatial(2, 1) * repeat(1, 1)>, #loop.space<register>>
    %a = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x2x64x64xf16, #loop.space<shared>>
    loop.for %k = 0 to 4 kind = reduction map = serial {
      loop.contract %acc, %a[%k mod 2], %b transpose_lhs : memref<128x128xf32, #loop.spread<instruction = "wgmma.m64n128k16", map = spatial(2, 1) * repeat(1, 1)>, #loop.space<register>>, memref<2x2x64x64xf16, #loop.space<shared>>, memref<2x64x64xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
