// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// A tile of 16 lines of 128 elements in two groups, each with 64 of every line: the same copies as of
// whole lines, to other places.

// CHECK:      gpu.cp_async %w[%t floordiv 16, %t mod 16 * 8] to %s[%t mod 16 floordiv 8, %t floordiv 16, %t mod 8 * 8] {bytes = 16 : i64}
// CHECK-NEXT: gpu.cp_async %w[%t floordiv 16 + 8, %t mod 16 * 8] to %s[%t mod 16 floordiv 8, %t floordiv 16 + 8, %t mod 8 * 8] {bytes = 16 : i64}
loop.kernel @g(%w: memref<16x128xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %s = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x16x64xf16, #loop.space<shared>>
    loop.stage %s map = <repeat(2, 1) * spatial(8, 16) * repeat(1, 8)> : memref<2x16x64xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %w[%i, %j] : memref<16x128xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// What instructions read in place is made visible to them.

// CHECK-LABEL: @read_in_place
// CHECK:       gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT:  gpu.async_fence
loop.kernel @read_in_place(%x: memref<64x16xf16>, %b: memref<8x16xf16, #loop.space<shared>>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %acc = loop.zero : memref<64x8xf32, #loop.spread<instruction = "wgmma.m64n8k16", map = repeat(1, 1)>, #loop.space<register>>
    %s = loop.alloc {swizzle = #gpu.swizzle<1, 4, 3>} : memref<64x16xf16, #loop.space<shared>>
    loop.stage %s map = <spatial(64, 2) * repeat(1, 8)> : memref<64x16xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<64x16xf16> -> f32
      loop.yield %e : f32
    }
    loop.contract %acc, %s, %b transpose_rhs : memref<64x8xf32, #loop.spread<instruction = "wgmma.m64n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<8x16xf16, #loop.space<shared>>
    loop.yield
  }
  loop.end
}
