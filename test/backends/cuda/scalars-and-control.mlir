// RUN: dlc-opt %s -t cuda | filecheck %s

// 16-bit floats widen on load and round on store; NaN goes through a maximum; guards become conditions.
gpu.kernel @rows(%x: memref<130x7xf16>, %y: memref<130xbf16>) attributes {grid = array<i64: 2, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 1 : i64, max_registers = 40 : i64} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %i = loop.index [%b * 96 + %t]
  %n = arith.constant 130 : index
  %low = arith.constant 0 : index
  %high = arith.constant 7 : index
  %one = arith.constant 1 : index
  %minus = arith.constant 0xff800000 : f32
  %inside = arith.cmpi slt, %i, %n : index
  scf.if %inside {
    %m = scf.for %k = %low to %high step %one iter_args(%a = %minus) -> (f32) {
      %v = loop.load %x[%i, %k - 1] guard [1] fill 0.000000e+00 : f32 : memref<130x7xf16> -> f32
      %e = math.exp %v : f32
      %w = arith.maximumf %a, %e : f32
      scf.yield %w : f32
    } {unroll}
    loop.store %m, %y[%i] : f32 -> memref<130xbf16>
  }
  gpu.end
}
// CHECK:      extern "C" __global__ void __maxnreg__(40) rows(const unsigned short* __restrict__ b1, unsigned short* __restrict__ b2) {
// CHECK-NEXT:   const int [[B:v[0-9]+]] = (int)blockIdx.x;
// CHECK-NEXT:   const int [[T:v[0-9]+]] = (int)threadIdx.x;
// CHECK-NEXT:   const int [[I:v[0-9]+]] = [[B]] * 96 + [[T]];
// CHECK-NEXT:   const bool [[P:v[0-9]+]] = [[I]] < 130;
// CHECK-NEXT:   if ([[P]]) {
// CHECK-NEXT:     float [[A:a[0-9]+]] = (-__int_as_float(0x7f800000));
// CHECK-NEXT:     #pragma unroll
// CHECK-NEXT:     for (int [[K:i[0-9]+]] = 0; [[K]] < 7; [[K]] += 1) {
// CHECK-NEXT:       const float [[V:v[0-9]+]] = ([[K]] - 1) >= 0 ? load_f16(b1[[[I]] * 7 + [[K]] - 1]) : 0.0f;
// CHECK-NEXT:       const float [[E:v[0-9]+]] = expf([[V]]);
// CHECK-NEXT:       const float [[W:v[0-9]+]] = maximum_f32([[A]], [[E]]);
// CHECK-NEXT:       [[A]] = [[W]];
// CHECK-NEXT:     }
// CHECK-NEXT:     b2[[[I]]] = store_bf16([[A]]);
// CHECK-NEXT:   }
