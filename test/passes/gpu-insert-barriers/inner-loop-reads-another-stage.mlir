// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// The write is to another stage than the reads, in every iteration of the inner loop too: its place
// needs nothing from within that loop.
gpu.kernel @ring(%x: memref<8x64xf32>, %y: memref<8x64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<2x64xf32, #loop.space<shared>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %eight = arith.constant 8 : index
  scf.for %r = %zero to %eight step %one {
    gpu.barrier
    %v = loop.load %x[%r, %t] : memref<8x64xf32> -> f32
    loop.store %v, %s[(%r + 1) mod 2, %t] : f32 -> memref<2x64xf32, #loop.space<shared>>
    scf.for %i = %zero to %four step %one {
      %w = loop.load %s[%r mod 2, 63 - %t] : memref<2x64xf32, #loop.space<shared>> -> f32
      loop.store %w, %y[%r, %t] : f32 -> memref<8x64xf32>
    }
  }
  gpu.end
}
// CHECK:       gpu.barrier
// CHECK-NOT:   gpu.barrier
