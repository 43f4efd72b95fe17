// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s

// A line of 100 begins at a multiple of 4, and so does what is left of one: four neighbours are read at once.
// CHECK-LABEL: @multiples
// CHECK:      %[[R:.*]] = gpu.register_alloc : memref<4xf16, #loop.space<register>>
// CHECK-NEXT: gpu.copy %x[%t * 4 + %c] to %[[R]][0] {elements = 4 : i64}
gpu.kernel @multiples(%x: memref<200xf16>, %y: memref<64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %line = arith.constant 100 : index
  %ends = arith.cmpi slt, %t, %four : index
  %c = arith.select %ends, %line, %low : index
  scf.for %v = %low to %four step %one {
    %a = loop.load %x[%t * 4 + %c + %v] : memref<200xf16> -> f32
    %b = arith.addf %a, %a : f32
    loop.store %b, %y[%t * 4 + %v] : f32 -> memref<64xf16>
  } {unroll}
  gpu.end
}

// One of the two is odd.
// CHECK-LABEL: @odd
// CHECK-NOT: gpu.copy %x
gpu.kernel @odd(%x: memref<200xf16>, %y: memref<64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %line = arith.constant 97 : index
  %ends = arith.cmpi slt, %t, %four : index
  %c = arith.select %ends, %line, %low : index
  scf.for %v = %low to %four step %one {
    %a = loop.load %x[%t * 4 + %c + %v] : memref<200xf16> -> f32
    %b = arith.addf %a, %a : f32
    loop.store %b, %y[%t * 4 + %v] : f32 -> memref<64xf16>
  } {unroll}
  gpu.end
}
