// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// Of six blocks each takes rounds of 16 rows; the first four have one part each behind the barrier.
// CHECK:      gpu.kernel @grid({{.*}}) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4096, 4>, cooperative, filled = array<i64: 3>}
// CHECK:      %[[B:.*]] = gpu.block_id x : index
// CHECK-NEXT: %[[T:.*]] = gpu.thread_id x : index
// CHECK:      scf.for %{{.*}} = %[[B]] to %{{.*}} step
// CHECK:        loop.store %{{.*}}, %s
// CHECK:      }
// CHECK-NEXT: gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
// CHECK:      %[[FEW:.*]] = arith.cmpi slt, %[[B]], %{{.*}} : index
// CHECK-NEXT: scf.if %[[FEW]] {
// CHECK:        loop.load %s
// CHECK:      }
// CHECK-NEXT: gpu.grid_barrier %c[0] {number = 2 : i64} : memref<1xi32>
// CHECK-NEXT: gpu.end
loop.kernel @grid(%x: memref<16x64xf32>, %y: memref<4x64xf32>, %s: memref<16x64xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4096, 4>, threads = 64 : i64, blocks = 6 : i64, cooperative, filled = array<i64: 3>} {
  loop.for %b = 0 to 16 kind = parallel map = grid {
    loop.for %t = 0 to 64 kind = parallel map = thread {
      %v = loop.load %x[%b, %t] : memref<16x64xf32> -> f32
      loop.store %v, %s[%b, %t] : f32 -> memref<16x64xf32>
      loop.yield
    }
    loop.yield
  }
  loop.barrier %c over grid {number = 1 : i64} : memref<1xi32>
  loop.for %b = 0 to 4 kind = parallel map = grid {
    loop.for %t = 0 to 64 kind = parallel map = thread {
      %v = loop.load %s[15 - %b, %t] : memref<16x64xf32> -> f32
      loop.store %v, %y[%b, %t] : f32 -> memref<4x64xf32>
      loop.yield
    }
    loop.yield
  }
  loop.barrier %c over grid {number = 2 : i64} : memref<1xi32>
  loop.end
}

// CHECK:      gpu.kernel @cluster
// CHECK:      gpu.cluster_barrier
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: gpu.end
loop.kernel @cluster(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64, threads = 64 : i64, blocks = 4 : i64, cluster = 2 : i64} {
  loop.barrier over cluster
  loop.barrier over block
  loop.end
}

// A block that has no cluster is one.
// CHECK:      gpu.kernel @alone
// CHECK:      gpu.barrier
// CHECK-NEXT: gpu.end
loop.kernel @alone(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64, threads = 64 : i64} {
  loop.barrier over cluster
  loop.end
}
