// RUN: dlc-opt -p gpu-allocate-shared -t cuda %s | filecheck %s

#tile = #gpu.tensor_map<sizes = [512, 256], strides = [512], box = [64, 64], swizzle = 128>
#column = #gpu.tensor_map<sizes = [4, 32, 16, 64], strides = [65536, 2048, 128], box = [64, 64], lower_corner = [-1, -1], upper_corner = [-1, -1]>
gpu.kernel @copies(%x: memref<512x256xf16>, %y: memref<512x256xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
  %u = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %full = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  gpu.prefetch_tensor_map %x {map = #tile} : memref<512x256xf16>
  gpu.tensor_copy %x[%t * 64, 64] to %s[0, 0] at %full[1] {map = #tile} : memref<512x256xf16>, memref<64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.tensor_copy %x[3, 2, %t, 0, 2, 1] to %u[0, 0] at %full[0] {map = #column} : memref<512x256xf16>, memref<64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.tensor_store %s[0, 0] to %y[%t, 64] {map = #tile} : memref<64x64xf16, #loop.space<shared>>, memref<512x256xf16>
  gpu.bulk_commit
  gpu.bulk_wait {outstanding = 1 : i64, read}
  gpu.bulk_wait {outstanding = 0 : i64}
  gpu.end
}
// Each buffer with each of its maps is a parameter; PTX has the last coordinate first.
// CHECK:      void tensor_copy_2d(void* to, const tensor_map* map, int c0, int c1, void* barrier) {
// CHECK-NEXT: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CHECK-NEXT: "r"(c1), "r"(c0)
// CHECK:      copies(const unsigned short* __restrict__ b1, unsigned short* __restrict__ b2, const __grid_constant__ tensor_map m3, const __grid_constant__ tensor_map m4, const __grid_constant__ tensor_map m5)
// CHECK:      prefetch_tensor_map(&m3);
// CHECK-NEXT: tensor_copy_2d({{.*}}, &m3, {{v[0-9]+}} * 64, 64, &{{s[0-9]+}}[1]);
// CHECK-NEXT: tensor_copy_im2col_4d({{.*}}, &m4, 3, 2, {{v[0-9]+}}, 0, 2, 1, &{{s[0-9]+}}[0]);
// CHECK-NEXT: tensor_store_2d(&m5, {{v[0-9]+}}, 64, {{.*}});
// CHECK-NEXT: bulk_commit();
// CHECK-NEXT: bulk_wait_read<1>();
// CHECK-NEXT: bulk_wait<0>();
