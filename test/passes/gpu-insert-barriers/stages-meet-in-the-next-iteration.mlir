// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// In one iteration the write goes to another stage than the read. The next one writes what this one
// reads.
gpu.kernel @two_stages(%x: memref<64x32xf32>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<2x32xf32, #loop.space<shared>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 63 : index
  %f = loop.load %x[0, %t] : memref<64x32xf32> -> f32
  loop.store %f, %s[0, %t] : f32 -> memref<2x32xf32, #loop.space<shared>>
  gpu.barrier
  scf.for %k = %zero to %n step %one {
    %v = loop.load %x[%k + 1, %t] : memref<64x32xf32> -> f32
    loop.store %v, %s[(%k + 1) mod 2, %t] : f32 -> memref<2x32xf32, #loop.space<shared>>
    %w = loop.load %s[%k mod 2, 31 - %t] : memref<2x32xf32, #loop.space<shared>> -> f32
    loop.store %w, %y[%k, %t] : f32 -> memref<64x32xf32>
  }
  gpu.end
}
// CHECK:       scf.for
// CHECK-NEXT:    loop.load %x
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    loop.store {{.*}}, %s
// CHECK-NEXT:    loop.load %s
// CHECK-NOT:     gpu.barrier
// CHECK:       gpu.end
