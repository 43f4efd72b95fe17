// RUN: dlc-opt %s -t cuda | filecheck %s

// CHECK:      asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
// CHECK:      asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
// CHECK-NEXT: asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
// CHECK:      asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(p)), "r"(rank));
// CHECK:      asm volatile("ld.shared::cluster.u32 %0, [%1];"
// CHECK:      asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};"
gpu.kernel @k(%x: memref<8xf32>) attributes {grid = array<i64: 8, 2, 1>, cluster = array<i64: 4, 2, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 256 : i64} {
  %t = gpu.thread_id x : index
  %rank = gpu.cluster_rank : index
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<64xf32, #loop.space<shared>>
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.cluster_barrier
  gpu.cluster_load %s[%t + 32] of %rank to %r[2] {elements = 1 : i64} : memref<64xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
  gpu.cluster_store %r[0] to %s[%t mod 16 * 4] of %rank {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>
  gpu.end
}
// CHECK:      extern "C" __global__ void __launch_bounds__(32) __cluster_dims__(4, 2, 1) k(
// CHECK:      const int [[RANK:v[0-9]+]] = cluster_rank();
// CHECK:      cluster_barrier();
// CHECK-NEXT: cluster_load_4(&r[[R:[0-9]+]][2], &s[[S:[0-9]+]][{{.*}}], [[RANK]]);
// CHECK-NEXT: cluster_store_16(&s[[S]][{{.*}}], &r[[R]][0], [[RANK]]);
