// RUN: dlc-opt --gpu-insert-launch-waits %s | filecheck %s

// One role brings a tile, the other one reads it and writes the result: each waits before what it touches.
// CHECK: gpu.kernel @roles
// CHECK:      gpu.barrier
// CHECK-NOT:  griddepcontrol
// CHECK:      scf.if %reads
// CHECK-NEXT:   gpu.mbarrier_wait
// CHECK:        gpu.griddepcontrol_wait
// CHECK-NEXT:   gpu.griddepcontrol_launch_dependents
// CHECK-NEXT:   loop.store
// CHECK:      } else {
// CHECK:        gpu.griddepcontrol_wait
// CHECK-NEXT:   gpu.griddepcontrol_launch_dependents
// CHECK-NEXT:   loop.load %x
gpu.kernel @roles(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, shared_bytes = 136 : i64, constant_inputs = array<i64>, dependents} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<32xf32, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 128 : i64} : memref<1xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    gpu.mbarrier_init %full[0] {arrivals = 32 : i64} : memref<1xi64, #loop.space<shared>>
  }
  gpu.barrier
  %half = arith.constant 32 : index
  %reads = arith.cmpi slt, %t, %half : index
  scf.if %reads {
    gpu.mbarrier_wait %full[0] parity %zero : memref<1xi64, #loop.space<shared>>
    %a = loop.load %s[%t] : memref<32xf32, #loop.space<shared>> -> f32
    loop.store %a, %y[%t] : f32 -> memref<32xf32>
  } else {
    %p = loop.index [%t - 32]
    %b = loop.load %x[%p] : memref<32xf32> -> f32
    loop.store %b, %s[%p] : f32 -> memref<32xf32, #loop.space<shared>>
    gpu.mbarrier_arrive %full[0] : memref<1xi64, #loop.space<shared>>
  }
  gpu.end
}

// A condition that divides no roles: the wait stands before it.
// CHECK: gpu.kernel @choice
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: scf.if
// CHECK-NOT:  griddepcontrol
gpu.kernel @choice(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %t, %zero : index
  %v = scf.if %first -> (f32) {
    %a = loop.load %x[%t] : memref<32xf32> -> f32
    scf.yield %a : f32
  } else {
    %b = arith.constant 0.0 : f32
    scf.yield %b : f32
  }
  loop.store %v, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}
