// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// Each iteration reads what others wrote in it, and the next one overwrites it: two barriers. The
// threads go through the inner loop a different number of times, so its barriers are outside of it.
gpu.kernel @rounds(%x: memref<8x100xf32>, %y: memref<8x64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<100xf32, #loop.space<shared>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 8 : index
  %columns = arith.constant 100 : index
  %threads = arith.constant 64 : index
  scf.for %r = %zero to %rows step %one {
    scf.for %c = %t to %columns step %threads {
      %v = loop.load %x[%r, %c] : memref<8x100xf32> -> f32
      loop.store %v, %s[%c] : f32 -> memref<100xf32, #loop.space<shared>>
    }
    %w = loop.load %s[99 - %t] : memref<100xf32, #loop.space<shared>> -> f32
    loop.store %w, %y[%r, %t] : f32 -> memref<8x64xf32>
  }
  gpu.end
}
// CHECK:      scf.for %r
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   scf.for %c
// CHECK-NEXT:     loop.load %x
// CHECK-NEXT:     loop.store
// CHECK-NEXT:   }
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   loop.load %s
// CHECK-NEXT:   loop.store
// CHECK-NEXT: }
