// RUN: %roundtrip

loop.kernel @g(%x: memref<128x768xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %s = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    %r = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x16x64xf16, #loop.space<shared>>
    loop.for %k = 0 to 8 kind = reduction map = serial {
      // CHECK: loop.stage tensor %s map = <spatial(16, 8) * repeat(1, 8)> : memref<16x64xf16, #loop.space<shared>> {
      loop.stage tensor %s map = <spatial(16, 8) * repeat(1, 8)> : memref<16x64xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 64 + %j] : memref<128x768xf16> -> f32
        loop.yield %e : f32
      }
      // CHECK: loop.stage async tensor %r[%k mod 2] at %full[%k mod 2] map = <spatial(16, 8) * repeat(1, 8)> : memref<2x16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
      loop.stage async tensor %r[%k mod 2] at %full[%k mod 2] map = <spatial(16, 8) * repeat(1, 8)> : memref<2x16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 64 + %j] : memref<128x768xf16> -> f32
        loop.yield %e : f32
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
