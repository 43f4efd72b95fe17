// RUN: %roundtrip

gpu.kernel @tokens(%x: memref<4x64xf32>, %y: memref<4x64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %n = arith.constant 3 : index
  %p = loop.index [%t mod 2]
  %s = gpu.shared_alloc : memref<2x64xf32, #loop.space<shared>>
  %full = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_init %full[%t] {arrivals = 32 : i64} : memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_arrive %full[1] {bytes = 256 : i64} : memref<2xi64, #loop.space<shared>>
  gpu.bulk_copy %x[3, 0] to %s[1, 0] at %full[1] {elements = 64 : i64} : memref<4x64xf32>, memref<2x64xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_wait %full[%t mod 2] parity %p : memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_arrive %full[0] : memref<2xi64, #loop.space<shared>>
  gpu.cp_async_arrive %full[%t mod 2] : memref<2xi64, #loop.space<shared>>
  gpu.bar_sync %n {threads = 64 : i64}
  gpu.bar_arrive %n {threads = 96 : i64}
  gpu.end
}
// CHECK:      gpu.mbarrier_init %full[%t] {arrivals = 32 : i64} : memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.mbarrier_arrive %full[1] {bytes = 256 : i64} : memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.bulk_copy %x[3, 0] to %s[1, 0] at %full[1] {elements = 64 : i64} : memref<4x64xf32>, memref<2x64xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.mbarrier_wait %full[%t mod 2] parity %p : memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.mbarrier_arrive %full[0] : memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.cp_async_arrive %full[%t mod 2] : memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.bar_sync %n {threads = 64 : i64}
// CHECK-NEXT: gpu.bar_arrive %n {threads = 96 : i64}

gpu.kernel @registers(%x: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64, resident_blocks = 1 : i64} {
  gpu.set_registers {count = 240 : i64}
  gpu.end
}
// CHECK:      gpu.set_registers {count = 240 : i64}
