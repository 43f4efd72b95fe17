// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// 100 iterations on 128 threads: the last 28 threads do nothing.
loop.kernel @tail(%x: memref<3x100xf32>, %y: memref<3x100xf32>) attributes {outputs = 1 : i64} {
  loop.for %b = 0 to 3 kind = parallel map = grid {
    loop.for %t = 0 to 100 kind = parallel map = thread {
      %v = loop.load %x[%b, %t] : memref<3x100xf32> -> f32
      loop.store %v, %y[%b, %t] : f32 -> memref<3x100xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
// CHECK:      gpu.kernel @tail(%x: memref<3x100xf32>, %y: memref<3x100xf32>) attributes {grid = array<i64: 3, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
// CHECK-NEXT:   %[[B:.*]] = gpu.block_id x : index
// CHECK-NEXT:   %[[T:.*]] = gpu.thread_id x : index
// CHECK-NEXT:   %[[N:.*]] = arith.constant 100 : index
// CHECK-NEXT:   %[[P:.*]] = arith.cmpi slt, %[[T]], %[[N]] : index
// CHECK-NEXT:   scf.if %[[P]] {
// CHECK-NEXT:     %[[V:.*]] = loop.load %x[%[[B]], %[[T]]] : memref<3x100xf32> -> f32
// CHECK-NEXT:     loop.store %[[V]], %y[%[[B]], %[[T]]] : f32 -> memref<3x100xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   gpu.end
