// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// Elements that are rounded to tf32 on the way: the tensor map says so, whether the tile is a box or a column of pixels,
// and no thread sees them.
loop.kernel @g(%x: memref<100x96xf32>, %z: memref<2x9x7x32xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<1xi64, #loop.space<shared>>
    %a = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<16x32xf32, #loop.space<shared>>
    %n = arith.constant 100 : index
    loop.for %k = 0 to 3 kind = reduction map = serial {
      // CHECK-NOT: gpu.cvt_tf32
      // CHECK:     gpu.tensor_copy %x[96, %k * 32] to %a[0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [100, 96], strides = [384], box = [16, 32], swizzle = 128, rounded_bits = 13>}
      loop.stage async tensor %a at %full[0] map = <repeat(16, 1) * spatial(1, 32)> : memref<16x32xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %row = loop.index [%i + 96]
        %inside = arith.cmpi slt, %row, %n : index
        %zero = arith.constant 0.0 : f32
        %e = scf.if %inside -> (f32) {
          %v = loop.load %x[%i + 96, %k * 32 + %j] : memref<100x96xf32> -> f32
          %r = gpu.cvt_tf32 %v : f32
          scf.yield %r : f32
        } else {
          scf.yield %zero : f32
        }
        loop.yield %e : f32
      }
      // CHECK:      gpu.tensor_copy %z[
      // CHECK-SAME: lower_corner = [-1, -1], upper_corner = [-3, -1], rounded_bits = 13>}
      // CHECK-NOT:  gpu.cvt_tf32
      loop.stage async tensor %a at %full[0] map = <repeat(16, 1) * spatial(1, 32)> : memref<16x32xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %v = loop.load %z[(%k * 16 + %i) floordiv 63, (%k * 16 + %i) floordiv 7 mod 9 - 1, (%k * 16 + %i) mod 7 - 1, %j] guard [1, 2] fill 0.0 : f32 : memref<2x9x7x32xf32> -> f32
        %r = gpu.cvt_tf32 %v : f32
        loop.yield %r : f32
      }
      // CHECK:      loop.load %x
      // CHECK-NEXT: gpu.cvt_tf32
      // CHECK-NEXT: loop.store
      loop.stage %a map = <repeat(16, 1) * spatial(1, 32)> : memref<16x32xf32, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %v = loop.load %x[%i, %k * 32 + %j] : memref<100x96xf32> -> f32
        %r = gpu.cvt_tf32 %v : f32
        loop.yield %r : f32
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
