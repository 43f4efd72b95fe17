// RUN: dlc-opt --gpu-insert-launch-waits %s | filecheck %s

// A role that touches nothing of others waits at its end.
// CHECK: gpu.kernel @silent
// CHECK:      } else {
// CHECK:        loop.store %{{.*}}, %s[
// CHECK-NEXT:   gpu.griddepcontrol_wait
// CHECK-NEXT: }
gpu.kernel @silent(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, shared_bytes = 136 : i64, constant_inputs = array<i64>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<32xf32, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 128 : i64} : memref<1xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %half = arith.constant 32 : index
  %none = arith.constant 0.0 : f32
  %reads = arith.cmpi slt, %t, %half : index
  scf.if %reads {
    %a = loop.load %x[%t] : memref<32xf32> -> f32
    loop.store %a, %y[%t] : f32 -> memref<32xf32>
  } else {
    gpu.mbarrier_wait %full[0] parity %zero : memref<1xi64, #loop.space<shared>>
    loop.store %none, %s[%t - 32] : f32 -> memref<32xf32, #loop.space<shared>>
  }
  gpu.end
}

// A role beside which there is no other: threads wait before they part.
// CHECK: gpu.kernel @alone
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: scf.if
// CHECK-NOT:  griddepcontrol
gpu.kernel @alone(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, shared_bytes = 8 : i64, constant_inputs = array<i64>} {
  %full = gpu.shared_alloc {offset = 0 : i64} : memref<1xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %half = arith.constant 32 : index
  %reads = arith.cmpi slt, %t, %half : index
  scf.if %reads {
    gpu.mbarrier_wait %full[0] parity %zero : memref<1xi64, #loop.space<shared>>
    %a = loop.load %x[%t] : memref<32xf32> -> f32
    loop.store %a, %y[%t] : f32 -> memref<32xf32>
  }
  gpu.end
}
