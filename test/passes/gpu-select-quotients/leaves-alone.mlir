// RUN: dlc-opt %s --gpu-select-quotients | filecheck %s

// CHECK-NOT: arcp

// A quotient that something else reads: its floor is another one where it is off by a unit.
gpu.kernel @read(%x: memref<2xf32>, %y: memref<2xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64} {
  %a = loop.load %x[0] : memref<2xf32> -> f32
  %b = loop.load %x[1] : memref<2xf32> -> f32
  %q = arith.divf %a, %b fastmath<afn> : f32
  loop.store %q, %y[0] : f32 -> memref<2xf16>
  %f = math.floor %q : f32
  loop.store %f, %y[1] : f32 -> memref<2xf16>
  gpu.end
}

// One that keeps all of its bits.
gpu.kernel @wide(%x: memref<2xf32>, %y: memref<1xf16>, %z: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 2 : i64} {
  %a = loop.load %x[0] : memref<2xf32> -> f32
  %b = loop.load %x[1] : memref<2xf32> -> f32
  %q = arith.divf %a, %b fastmath<afn> : f32
  loop.store %q, %y[0] : f32 -> memref<1xf16>
  loop.store %q, %z[0] : f32 -> memref<1xf32>
  gpu.end
}

// One that is exact.
gpu.kernel @exact(%x: memref<2xf32>, %y: memref<1xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64} {
  %a = loop.load %x[0] : memref<2xf32> -> f32
  %b = loop.load %x[1] : memref<2xf32> -> f32
  %q = arith.divf %a, %b : f32
  loop.store %q, %y[0] : f32 -> memref<1xf16>
  gpu.end
}
