// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// No loop shares the store out, so one thread does it. Two nests share a grid of the larger size.
loop.kernel @flag(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<1xi32>) attributes {outputs = 2 : i64} {
  %one = arith.constant 1 : i32
  loop.for %b = 0 to 2 kind = parallel map = grid {
    loop.for %t = 0 to 32 kind = parallel map = thread {
      %v = loop.load %x[%b * 32 + %t] : memref<64xf32> -> f32
      loop.store %v, %y[%b * 32 + %t] : f32 -> memref<64xf32>
      loop.yield
    }
    loop.yield
  }
  loop.for %c = 0 to 1 kind = parallel map = grid {
    loop.store %one, %z[%c] : i32 -> memref<1xi32>
    loop.yield
  }
  loop.end
}
// CHECK:      grid = array<i64: 2, 1, 1>, block = array<i64: 32, 1, 1>
// CHECK:      loop.store %{{.*}}, %y
// CHECK:      arith.cmpi slt, %[[B:.*]], %{{.*}} : index
// CHECK-NEXT: scf.if
// CHECK:        arith.cmpi eq, %[[T:.*]], %{{.*}} : index
// CHECK:        scf.if
// CHECK-NEXT:     loop.store %{{.*}}, %z[
