// RUN: dlc-opt --gpu-load-ahead=arch=sm_90a %s | filecheck %s

// A block walks over tiles, but there is one for each.
// CHECK: gpu.kernel @one_tile
// CHECK:      scf.for
// CHECK:        gpu.copy %bias[%{{.*}}]
// CHECK:        scf.for
// CHECK-NEXT:     gpu.mbarrier_wait
gpu.kernel @one_tile(%bias: memref<400xf16>, %y: memref<100xf32>) attributes {grid = array<i64: 100, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64, shared_bytes = 8 : i64} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<1xi64, #loop.space<shared>>
  %block = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %all = arith.constant 100 : index
  scf.for %tile = %block to %all step %all {
    scf.for %k = %zero to %two step %one {
      gpu.mbarrier_wait %s[0] parity %k : memref<1xi64, #loop.space<shared>>
    }
    %b = gpu.register_alloc : memref<4xf16, #loop.space<register>>
    gpu.copy %bias[%tile * 4] to %b[0] {elements = 4 : i64} : memref<400xf16>, memref<4xf16, #loop.space<register>>
    %w = loop.load %b[0] : memref<4xf16, #loop.space<register>> -> f32
    loop.store %w, %y[%tile] : f32 -> memref<100xf32>
  }
  gpu.end
}
