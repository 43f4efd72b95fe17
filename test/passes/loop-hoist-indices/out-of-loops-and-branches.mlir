// RUN: dlc-opt %s --loop-hoist-indices | filecheck %s

// The row and its condition do not depend on the slice; the slice's position does, and a loaded or
// computed number is not kept. Loops over workers are no loops of one thread: nothing leaves them.

// CHECK:      loop.for %t = 0 to 64 kind = parallel map = thread {
// CHECK:        %row = loop.index [%t floordiv 9]
// CHECK:        %in = arith.cmpi slt, %row, %n : index
// CHECK:        loop.for %k = 0 to 4 kind = reduction map = serial {
// CHECK-NEXT:     scf.if %in {
// CHECK-NEXT:       %at = loop.index [%k * 8 + %row]
// CHECK-NEXT:       %v = loop.load %x[%row]
// CHECK-NEXT:       %w = arith.addf %z, %z : f32
// CHECK-NEXT:       %s = arith.addf %v, %w : f32
// CHECK-NEXT:       loop.store %s, %y[%at]
loop.kernel @g(%x: memref<8xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    %z = arith.constant 1.0 : f32
    loop.for %k = 0 to 4 kind = reduction map = serial {
      %row = loop.index [%t floordiv 9]
      %n = arith.constant 7 : index
      %in = arith.cmpi slt, %row, %n : index
      scf.if %in {
        %at = loop.index [%k * 8 + %row]
        %v = loop.load %x[%row] : memref<8xf32> -> f32
        %w = arith.addf %z, %z : f32
        %s = arith.addf %v, %w : f32
        loop.store %s, %y[%at] : f32 -> memref<64xf32>
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
