// RUN: %roundtrip

// CHECK: loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 32, 4>, blocks = 6 : i64, cooperative, filled = array<i64: 3>} {
loop.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 32, 4>, blocks = 6 : i64, cooperative, filled = array<i64: 3>} {
  // CHECK-NEXT: loop.barrier over block{{$}}
  loop.barrier over block
  // CHECK-NEXT: loop.barrier %c over grid {number = 1 : i64} : memref<1xi32>
  loop.barrier %c over grid {number = 1 : i64} : memref<1xi32>
  // CHECK-NEXT: loop.barrier %c over grid {number = 2 : i64} : memref<1xi32>
  loop.barrier %c over grid {number = 2 : i64} : memref<1xi32>
  loop.end
}

// CHECK: loop.kernel @clusters(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, blocks = 6 : i64, cluster = 2 : i64} {
loop.kernel @clusters(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, blocks = 6 : i64, cluster = 2 : i64} {
  // CHECK-NEXT: loop.barrier over cluster{{$}}
  loop.barrier over cluster
  loop.end
}
