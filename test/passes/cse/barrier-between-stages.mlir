// RUN: dlc-opt --cse %s | filecheck %s

// Neither barriers nor loads on both sides of one are merged.
// CHECK:      loop.load %s[0]
// CHECK-NEXT: loop.barrier over block
// CHECK-NEXT: loop.barrier over block
// CHECK-NEXT: loop.load %s[0]
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<8xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 32>} {
  %a = loop.load %s[0] : memref<8xf32> -> f32
  loop.barrier over block
  loop.barrier over block
  %b = loop.load %s[0] : memref<8xf32> -> f32
  %d = arith.addf %a, %b : f32
  loop.store %d, %y[0] : f32 -> memref<8xf32>
  loop.end
}
