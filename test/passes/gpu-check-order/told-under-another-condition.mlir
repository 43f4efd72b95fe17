// RUN: dlc-opt %s --gpu-check-order | filecheck %s
// CHECK: gpu.kernel @under_another_condition

// What is told holds under a condition inside, too.
gpu.kernel @under_another_condition(%x: memref<4x32xf32>, %y: memref<32xf32>, %parts: memref<4x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 512>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %arrived = gpu.counter_alloc : memref<1xi32>
  %told = gpu.shared_alloc : memref<1xi32, #loop.space<shared>>
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : index
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %v, %parts[%b, %t] : f32 -> memref<4x32xf32>
  gpu.fence
  gpu.barrier
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    %old = gpu.atomic_add %one, %arrived[0] : i32, memref<1xi32> -> i32
    loop.store %old, %told[0] : i32 -> memref<1xi32, #loop.space<shared>>
  }
  gpu.barrier
  %before = loop.load %told[0] : memref<1xi32, #loop.space<shared>> -> i32
  %last = arith.cmpi eq, %before, %three : i32
  scf.if %last {
    scf.if %first {
      %w = loop.load %parts[3, %t] : memref<4x32xf32> -> f32
      loop.store %w, %y[%t] : f32 -> memref<32xf32>
    }
  }
  gpu.end
}
