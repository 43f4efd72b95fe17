// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// Rows whose digits take turns are as many axes of the box, in the order of the tile; the rows' end is that of the first.
loop.kernel @g(%x: memref<96x576xf16>) attributes {outputs = 1 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    loop.for %t = 0 to 32 kind = parallel map = thread {
      %full = loop.alloc : memref<2xi64, #loop.space<shared>>
      %a = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
      %n = arith.constant 96 : index
      // CHECK:      gpu.tensor_copy %x[%b * 2, 0, 0, 0, 0] to %a[0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [3, 4, 4, 2, 576], strides = [36864, 2304, 9216, 1152], box = [2, 4, 4, 2, 64], swizzle = 128>}
      loop.stage async tensor %a at %full[0] map = <repeat(64, 2) * spatial(1, 32)> : memref<64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %row = loop.index [%b * 64 + %i floordiv 32 * 32 + %i mod 8 floordiv 2 * 8 + %i mod 32 floordiv 8 * 2 + %i mod 2]
        %inside = arith.cmpi slt, %row, %n : index
        %zero = arith.constant 0.0 : f32
        %e = scf.if %inside -> (f32) {
          %v = loop.load %x[%row, %j] : memref<96x576xf16> -> f32
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
