// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// The barrier inside orders nothing where no thread of the block takes the branch.
// CHECK:      scf.if
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   loop.store %v, %y[%t]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.load %s[
gpu.kernel @k(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 2, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %v = loop.load %x[%t] : memref<64xf32> -> f32
  loop.store %v, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  %first = arith.cmpi eq, %b, %zero : index
  scf.if %first {
    gpu.barrier
    loop.store %v, %y[%t] : f32 -> memref<64xf32>
  }
  %w = loop.load %s[63 - %t] : memref<64xf32, #loop.space<shared>> -> f32
  loop.store %w, %y[%t] : f32 -> memref<64xf32>
  gpu.end
}
