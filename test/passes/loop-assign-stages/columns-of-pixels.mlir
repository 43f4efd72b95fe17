// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// Lines of 7 pixels do not divide a tile: its lines are a column of pixels, from the corner of the padding on. The offsets are
// the place in the kernel. Every second pixel of another image is one with the step in its element strides.
loop.kernel @g(%x: memref<4x9x7x128xf16>, %z: memref<1x11x13x64xf16>) attributes {outputs = 1 : i64} {
  loop.for %b = 0 to 15 kind = parallel map = grid {
    loop.for %t = 0 to 32 kind = parallel map = thread {
      %full = loop.alloc : memref<2xi64, #loop.space<shared>>
      %a = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<16x64xf16, #loop.space<shared>>
      %n = arith.constant 42 : index
      loop.for %k = 0 to 18 kind = reduction map = serial {
        // CHECK:      gpu.tensor_copy %x[%b * 16 floordiv 63, %b * 16 floordiv 7 mod 9 - 1, %b * 16 mod 7 - 1, %k mod 2 * 64, %k floordiv 6, %k floordiv 2 mod 3] to %a[0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [4, 9, 7, 128], strides = [16128, 1792, 256], box = [16, 64], swizzle = 128, lower_corner = [-1, -1], upper_corner = [-1, -1]>}
        loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
        ^bb0(%i: index, %j: index):
          %row = loop.index [%b * 16 + %i]
          %e = loop.load %x[%row floordiv 63, %row floordiv 7 mod 9 + %k floordiv 6 - 1, %row mod 7 + %k floordiv 2 mod 3 - 1, %k mod 2 * 64 + %j] guard [1, 2] fill 0.0 : f32 : memref<4x9x7x128xf16> -> f32
          loop.yield %e : f32
        }
        // CHECK-NEXT: gpu.tensor_copy %z[%b * 8 floordiv 21, %b * 16 floordiv 7 mod 6 * 2, %b * 16 mod 7 * 2, 0, 0, 0] to %a[0, 0] at %full[1] {map = #gpu.tensor_map<sizes = [1, 11, 13, 64], strides = [18304, 1664, 128], box = [16, 64], element_strides = [1, 2, 2, 1], swizzle = 128, lower_corner = [0, 0], upper_corner = [0, 0]>}
        loop.stage async tensor %a at %full[1] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
        ^bb0(%i: index, %j: index):
          %row = loop.index [%b * 16 + %i]
          %inside = arith.cmpi slt, %row, %n : index
          %zero = arith.constant 0.0 : f32
          %e = scf.if %inside -> (f32) {
            %v = loop.load %z[0, %row floordiv 7 * 2, %row mod 7 * 2, %j] : memref<1x11x13x64xf16> -> f32
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
    loop.yield
  }
  loop.end
}
