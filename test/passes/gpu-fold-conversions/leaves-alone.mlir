// RUN: dlc-opt %s --gpu-fold-conversions | filecheck %s

// CHECK-NOT: gpu.copy

// A value that something else reads.
gpu.kernel @read_twice(%x: memref<32xf16>, %y: memref<2x32xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %a = loop.load %x[%t] : memref<32xf16> -> f32
  loop.store %a, %y[0, %t] : f32 -> memref<2x32xf16>
  %b = arith.addf %a, %a : f32
  loop.store %b, %y[1, %t] : f32 -> memref<2x32xf16>
  gpu.end
}

// A load that gives something where there is no element.
gpu.kernel @guarded(%x: memref<32xf16>, %y: memref<64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %a = loop.load %x[%t - 16] guard [0] fill 0.0 : f32 : memref<32xf16> -> f32
  loop.store %a, %y[%t] : f32 -> memref<64xf16>
  gpu.end
}

// A buffer that is written between the load and the store.
gpu.kernel @exchanged(%x: memref<32xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64} {
  %r = gpu.register_alloc : memref<2xf16, #loop.space<register>>
  %a = loop.load %r[0] : memref<2xf16, #loop.space<register>> -> f32
  %b = loop.load %r[1] : memref<2xf16, #loop.space<register>> -> f32
  %c = arith.addf %b, %b : f32
  loop.store %c, %r[0] : f32 -> memref<2xf16, #loop.space<register>>
  loop.store %a, %r[1] : f32 -> memref<2xf16, #loop.space<register>>
  gpu.end
}

// A store under a condition: the load is before it.
gpu.kernel @conditional(%x: memref<32xf16>, %y: memref<32xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %n = arith.constant 7 : index
  %a = loop.load %x[%t] : memref<32xf16> -> f32
  %i = arith.cmpi slt, %t, %n : index
  scf.if %i {
    loop.store %a, %y[%t] : f32 -> memref<32xf16>
  }
  gpu.end
}
