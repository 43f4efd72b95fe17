// RUN: dlc-opt %s -t cuda | filecheck %s

// CHECK:      void stmatrix_x4(void* row, const void* from) {
// CHECK-NEXT:   const unsigned* r = (const unsigned*)from;
// CHECK-NEXT:   asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
// CHECK-NEXT:                :: "r"(shared_address(row)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
// CHECK:        asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
gpu.kernel @stores(%x: memref<8xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 2048 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<16x64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<2x8xf16, #loop.space<register>>
  gpu.stmatrix %r[1, 0] to %s[%t mod 16, 8] {matrices = 4 : i64} : memref<2x8xf16, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>
  gpu.stmatrix %r[0, 0] to %s[%t mod 16, 0] {matrices = 2 : i64, transpose} : memref<2x8xf16, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>
  gpu.end
}
// CHECK:      stmatrix_x4(&s{{[0-9]+}}[{{.*}}], &r[[R:[0-9]+]][8]);
// CHECK-NEXT: stmatrix_x2_trans(&s{{[0-9]+}}[{{.*}}], &r[[R]][0]);
