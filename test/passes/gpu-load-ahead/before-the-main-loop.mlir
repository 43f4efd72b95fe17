// RUN: dlc-opt --gpu-load-ahead=arch=sm_90a %s | filecheck %s

// The bias is read for each row, and lies inside of its buffer: once, under no condition. The residual is read for rows
// that there are.
// CHECK: gpu.kernel @product
// CHECK:      %[[B:.*]] = gpu.register_alloc : memref<4xf16
// CHECK-NEXT: gpu.copy %bias[%t mod 16 * 4] to %[[B]][0]
// CHECK-NEXT: %[[R:.*]] = gpu.register_alloc : memref<2x4xf16
// CHECK:      scf.for %[[V:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT:   %[[ROW:.*]] = loop.index [%[[V]] * 2 + %t floordiv 16]
// CHECK-NEXT:   %[[IN:.*]] = arith.cmpi slt, %[[ROW]]
// CHECK-NEXT:   scf.if %[[IN]] {
// CHECK-NEXT:     gpu.copy %x[%[[V]] * 2 + %t floordiv 16, %t mod 16 * 4] to %[[R]][%[[V]], 0]
// CHECK-NEXT:   }
// CHECK-NEXT: } {unroll}
// CHECK-NEXT: scf.for
// CHECK-NEXT:   gpu.mbarrier_wait
// CHECK:      scf.for %[[I:.*]] = %zero to %two
// CHECK:          gpu.copy %[[R]][%[[I]], 0] to %a[0]
// CHECK:          gpu.copy %[[B]][0] to %b[0]
// CHECK:          loop.store
gpu.kernel @product(%bias: memref<64xf16>, %x: memref<3x64xf16>, %y: memref<3x64xf32>) attributes {grid = array<i64: 100, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 8 : i64, constant_inputs = array<i64: 0>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<1xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %k = %zero to %two step %one {
    gpu.mbarrier_wait %s[0] parity %k : memref<1xi64, #loop.space<shared>>
  }
  %three = arith.constant 3 : index
  scf.for %i = %zero to %two step %one {
    %row = loop.index [%i * 2 + %t floordiv 16]
    %in = arith.cmpi slt, %row, %three : index
    scf.if %in {
      %a = gpu.register_alloc : memref<4xf16, #loop.space<register>>
      gpu.copy %x[%i * 2 + %t floordiv 16, %t mod 16 * 4] to %a[0] {elements = 4 : i64} : memref<3x64xf16>, memref<4xf16, #loop.space<register>>
      %b = gpu.register_alloc : memref<4xf16, #loop.space<register>>
      gpu.copy %bias[%t mod 16 * 4] to %b[0] {elements = 4 : i64} : memref<64xf16>, memref<4xf16, #loop.space<register>>
      %v = loop.load %a[0] : memref<4xf16, #loop.space<register>> -> f32
      %w = loop.load %b[0] : memref<4xf16, #loop.space<register>> -> f32
      %sum = arith.addf %v, %w : f32
      loop.store %sum, %y[%i * 2 + %t floordiv 16, %t mod 16 * 4] : f32 -> memref<3x64xf32>
    }
  } {unroll}
  gpu.end
}
