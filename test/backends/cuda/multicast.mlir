// RUN: dlc-opt -p gpu-allocate-shared -t cuda %s | filecheck %s

// A thread that waits where other blocks arrive also sees what their threads did before; elsewhere it waits for its own block.
// CHECK:      mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;
// CHECK:      mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;
// CHECK:      cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;
// CHECK-NEXT: "r"(shared_address(barrier)), "h"((unsigned short)blocks)
// CHECK:      cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8}, %9;
// CHECK-NEXT: "r"(shared_address(barrier)), "h"((unsigned short)o1), "h"((unsigned short)o0), "h"((unsigned short)blocks)
// CHECK:      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
// CHECK-NEXT: :: "r"(cluster_address(barrier, rank)) : "memory");

#tile = #gpu.tensor_map<sizes = [512, 256], strides = [512], box = [64, 64], swizzle = 128>
#column = #gpu.tensor_map<sizes = [4, 32, 16, 64], strides = [65536, 2048, 128], box = [64, 64], lower_corner = [-1, -1], upper_corner = [-1, -1]>
gpu.kernel @copies(%x: memref<512x256xf16>) attributes {grid = array<i64: 2, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 2, 1, 1>} {
  %t = gpu.thread_id x : index
  %rank = gpu.cluster_rank : index
  %both = arith.constant 3 : index
  %s = gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
  %u = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  %own = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  gpu.tensor_copy %x[%t * 64, 64] to %s[0, 0] at %full[1] multicast %both {map = #tile} : memref<512x256xf16>, memref<64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.tensor_copy %x[3, 2, %t, 0, 2, 1] to %u[0, 0] at %full[0] multicast %both {map = #column} : memref<512x256xf16>, memref<64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_arrive %full[1] of %rank : memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_wait %full[1] parity %rank : memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_arrive %own[0] : memref<1xi64, #loop.space<shared>>
  gpu.mbarrier_wait %own[0] parity %rank : memref<1xi64, #loop.space<shared>>
  gpu.end
}
// CHECK:      copies(
// CHECK:      const int [[RANK:v[0-9]+]] = cluster_rank();
// CHECK:      tensor_copy_multicast_2d({{.*}}, &m{{[0-9]+}}, {{v[0-9]+}} * 64, 64, &s{{[0-9]+}}[1], 3);
// CHECK-NEXT: tensor_copy_im2col_multicast_4d({{.*}}, &m{{[0-9]+}}, 3, 2, {{v[0-9]+}}, 0, 2, 1, &s{{[0-9]+}}[0], 3);
// CHECK-NEXT: mbarrier_arrive_remote(&s{{[0-9]+}}[1], [[RANK]]);
// CHECK-NEXT: mbarrier_wait_of_cluster(&s{{[0-9]+}}[1], [[RANK]]);
// CHECK-NEXT: mbarrier_arrive(&[[OWN:s[0-9]+]][0]);
// CHECK-NEXT: mbarrier_wait(&[[OWN]][0], [[RANK]]);
