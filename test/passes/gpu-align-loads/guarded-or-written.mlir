// RUN: dlc-opt %s --gpu-align-loads | filecheck %s
// CHECK-NOT: gpu.register_alloc

// Only a condition keeps what is loaded in the line.
gpu.kernel @no_room(%x: memref<72xf32>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %some = arith.constant 16 : index
  %is = arith.cmpi slt, %t, %some : index
  scf.if %is {
    scf.for %v = %zero to %four step %one {
      %a = loop.load %x[%t * 4 + %v + 5] : memref<72xf32> -> f32
      loop.store %a, %y[%t, %v] : f32 -> memref<64x32xf32>
    } {unroll}
  }
  gpu.end
}

// Some neighbours are outside of the buffer.
gpu.kernel @guarded(%x: memref<64x72xf32>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 80, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %zero to %four step %one {
    %a = loop.load %x[%t, %v + 5] guard [0] fill 0.0 : f32 : memref<64x72xf32> -> f32
    loop.store %a, %y[%t mod 64, %v] : f32 -> memref<64x32xf32>
  } {unroll}
  gpu.end
}

// What is loaded is what other threads write.
gpu.kernel @written(%y: memref<64x72xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %zero to %four step %one {
    %a = loop.load %y[%t, %v + 5] : memref<64x72xf32> -> f32
    loop.store %a, %y[%t, %v + 13] : f32 -> memref<64x72xf32>
  } {unroll}
  gpu.end
}
