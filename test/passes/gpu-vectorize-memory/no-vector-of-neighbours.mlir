// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s
// CHECK-NOT: gpu.copy

// Elements are 8 apart, though each is aligned.
gpu.kernel @apart(%x: memref<64x128xf32>, %y: memref<256x4xf32>) attributes {grid = array<i64: 16, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %r = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %m = arith.constant 0.0 : f32
  scf.for %v = %low to %width step %one {
    %a = loop.load %x[%r, %t * 8 + %v * 8] : memref<64x128xf32> -> f32
    loop.store %a, %y[%v, 0] : f32 -> memref<256x4xf32>
  } {unroll}
  gpu.end
}

// Registers are no memory.
gpu.kernel @in_registers(%y: memref<16x64xf32>) attributes {grid = array<i64: 16, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %r = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %sum = arith.constant 0.0 : f32
  scf.for %v = %low to %width step %one {
    loop.store %sum, %s[%v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}

// Where the place is read in the loop, it is not known before it.
gpu.kernel @place_from_the_loop(%p: memref<1xi32>, %x: memref<64x128xf32>, %y: memref<256x4xf32>) attributes {grid = array<i64: 16, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %r = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %width step %one {
    %i = loop.load %p[0] : memref<1xi32> -> i32
    %place = arith.index_cast %i : i32 to index
    %a = loop.load %x[%r, %place * 4 + %v] : memref<64x128xf32> -> f32
    loop.store %a, %y[%v, 0] : f32 -> memref<256x4xf32>
  } {unroll}
  gpu.end
}
