// RUN: dlc-opt %s -t cuda | filecheck %s

// The bytes come from other blocks: only a wait of the cluster's scope orders what they wrote before what is read behind it.
// CHECK-NOT:  mbarrier.try_wait.parity.shared::cta
// CHECK:      mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p
// CHECK:      asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
// CHECK:      asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
// CHECK:      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 "
// CHECK-NEXT: "[%0], {%1, %2, %3, %4}, [%5];"
gpu.kernel @k(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, cluster = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 264 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<64xf32, #loop.space<shared>>
  %o = gpu.shared_alloc {offset = 256 : i64} : memref<1xi64, #loop.space<shared>>
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %zero = arith.constant 0 : index
  gpu.cluster_arrive
  gpu.cluster_wait
  %rank = gpu.cluster_rank : index
  gpu.st_async %r[0] to %s[%t mod 16 * 4] at %o[0] of %rank {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.mbarrier_wait %o[0] parity %zero : memref<1xi64, #loop.space<shared>>
  gpu.end
}
// CHECK:      cluster_arrive();
// CHECK-NEXT: cluster_wait();
// CHECK:      st_async_16(&s[[S:[0-9]+]][{{.*}}], &r{{[0-9]+}}[0], &s[[O:[0-9]+]][0], v{{[0-9]+}});
// CHECK-NEXT: mbarrier_wait_of_cluster(&s[[O]][0], 0);
