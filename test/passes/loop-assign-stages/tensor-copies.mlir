// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// A tile is a box of the tensor, with zeros behind its end; the swizzle is that of the tile. Groups of short lines are a
// copy each. Lines that are pixels of whole lines of an image are two axes of the box; axes that the tile's rows go through are one.
loop.kernel @g(%x: memref<100x576xf16>, %z: memref<4x6x8x64xf16>, %p: memref<4x5x8x64xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x2x16x64xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    %n = arith.constant 100 : index
    loop.for %k = 0 to 4 kind = reduction map = serial {
      // CHECK:      gpu.tensor_copy %x[96, %k * 128] to %a[%k mod 2, 0, 0, 0] at %full[%k mod 2] {map = #gpu.tensor_map<sizes = [100, 576], strides = [1152], box = [16, 64], swizzle = 128>}
      // CHECK-NEXT: gpu.tensor_copy %x[96, %k * 128 + 64] to %a[%k mod 2, 1, 0, 0] at %full[%k mod 2] {map = #gpu.tensor_map<sizes = [100, 576], strides = [1152], box = [16, 64], swizzle = 128>}
      loop.stage async tensor %a[%k mod 2] at %full[%k mod 2] map = <repeat(16, 4) * spatial(1, 32)> : memref<2x2x16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %row = loop.index [%i + 96]
        %inside = arith.cmpi slt, %row, %n : index
        %zero = arith.constant 0.0 : f32
        %e = scf.if %inside -> (f32) {
          %v = loop.load %x[%i + 96, %k * 128 + %j] : memref<100x576xf16> -> f32
          scf.yield %v : f32
        } else {
          scf.yield %zero : f32
        }
        loop.yield %e : f32
      }
      // CHECK-NEXT: gpu.tensor_copy %z[%k, 3, -1, 0] to %b[0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [4, 6, 8, 64], strides = [6144, 1024, 128], box = [1, 2, 8, 64]>}
      loop.stage async tensor %b at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %z[%k, %i floordiv 8 + 3, %i mod 8 - 1, %j] guard [1, 2] fill 0.0 : f32 : memref<4x6x8x64xf16> -> f32
        loop.yield %e : f32
      }
      // CHECK-NEXT: gpu.tensor_copy %p[%k * 2, 0, 0] to %b[0, 0] at %full[1] {map = #gpu.tensor_map<sizes = [20, 8, 64], strides = [1024, 128], box = [2, 8, 64]>}
      loop.stage async tensor %b at %full[1] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %p[(%k * 16 + %i) floordiv 40, (%k * 16 + %i) floordiv 8 mod 5, (%k * 16 + %i) mod 8, %j] : memref<4x5x8x64xf16> -> f32
        loop.yield %e : f32
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
