// RUN: dlc-opt %s -t cuda | filecheck %s

// CHECK:      asm volatile("bar.sync %0, %1;" :: "r"(number), "n"(threads) : "memory");
// CHECK:      asm volatile("bar.arrive %0, %1;" :: "r"(number), "n"(threads) : "memory");
// CHECK:      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
// CHECK:      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
// CHECK:      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
// CHECK:      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
// CHECK:      mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;
// CHECK:      asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];"
// CHECK:      asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(count));
// CHECK:      asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(count));
// CHECK:      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
gpu.kernel @tokens(%x: memref<4x64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64, shared_bytes = 528 : i64} {
  %t = gpu.thread_id x : index
  %n = arith.constant 3 : index
  %p = loop.index [%t mod 2]
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<2x64xf32, #loop.space<shared>>
  %full = gpu.shared_alloc {offset = 512 : i64} : memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_init %full[%t] {arrivals = 32 : i64} : memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_arrive %full[1] {bytes = 256 : i64} : memref<2xi64, #loop.space<shared>>
  gpu.bulk_copy %x[3, 0] to %s[1, 0] at %full[1] {elements = 64 : i64} : memref<4x64xf32>, memref<2x64xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_wait %full[%t mod 2] parity %p : memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_arrive %full[0] : memref<2xi64, #loop.space<shared>>
  gpu.cp_async_arrive %full[0] : memref<2xi64, #loop.space<shared>>
  gpu.bar_sync %n {threads = 64 : i64}
  gpu.bar_arrive %n {threads = 96 : i64}
  gpu.end
}
// CHECK:      mbarrier_init<32>(&[[B:s[0-9]+]][[[T:v[0-9]+]]]);
// CHECK-NEXT: mbarrier_arrive_expect<256>(&[[B]][1]);
// CHECK-NEXT: bulk_copy<256>(&[[S:s[0-9]+]][64], &b1[192], &[[B]][1]);
// CHECK-NEXT: mbarrier_wait(&[[B]][{{.*}}], [[P:v[0-9]+]]);
// CHECK-NEXT: mbarrier_arrive(&[[B]][0]);
// CHECK-NEXT: cp_async_arrive(&[[B]][0]);
// CHECK-NEXT: bar_sync<64>(3);
// CHECK-NEXT: bar_arrive<96>(3);

gpu.kernel @registers(%x: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 384, 1, 1>, outputs = 1 : i64, resident_blocks = 1 : i64} {
  gpu.set_registers {count = 176 : i64}
  gpu.set_registers {count = 168 : i64}
  gpu.end
}
// CHECK:      __launch_bounds__(384, 1) registers(
// CHECK:      more_registers<176>();
// CHECK-NEXT: fewer_registers<168>();

// Threads of small blocks have 248 at launch, not the 256 that their share would be: code can name 255.
gpu.kernel @few_threads(%x: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 256, 1, 1>, outputs = 1 : i64, resident_blocks = 1 : i64} {
  gpu.set_registers {count = 256 : i64}
  gpu.set_registers {count = 248 : i64}
  gpu.end
}
// CHECK:      more_registers<256>();
// CHECK-NEXT: fewer_registers<248>();
