// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Sums that something else in the loop uses have all products of a slice in it: nothing is left to the next slice.

// CHECK-LABEL: loop.kernel @two_products
// CHECK:       loop.for %k = 0 to 4
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    loop.alloc : memref<2x1x8xf16
// CHECK:         gpu.mma %{{.*}}[0, 0, 0]
// CHECK:         gpu.mma %{{.*}}[1, 0, 0]
// CHECK:         gpu.mma %{{.*}}[0, 0, 0]
// CHECK:         gpu.mma %{{.*}}[1, 0, 0]
// CHECK:       loop.end
loop.kernel @two_products(%y: memref<16x16xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>
    %a = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    loop.for %k = 0 to 4 kind = reduction map = serial {
      gpu.barrier
      loop.contract %acc, %a, %b transpose_rhs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<16x32xf16, #loop.space<shared>>
      loop.contract %acc, %a, %b transpose_rhs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<16x32xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// CHECK-LABEL: loop.kernel @sums_of_each_slice
// CHECK:       loop.for %k = 0 to 4
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    loop.alloc : memref<2x1x8xf16
// CHECK:         gpu.mma %{{.*}}[0, 0, 0]
// CHECK:         gpu.mma %{{.*}}[1, 0, 0]
// CHECK:         loop.store %{{.*}}, %y
// CHECK-NOT:     gpu.mma
// CHECK:       loop.end
loop.kernel @sums_of_each_slice(%y: memref<4x16x16xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>
    %a = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    loop.for %k = 0 to 4 kind = reduction map = serial {
      gpu.barrier
      loop.contract %acc, %a, %b transpose_rhs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<16x32xf16, #loop.space<shared>>
      loop.drain %acc at [0, 0] within [16, 16] : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>> {
      ^bb0(%row: index, %column: index, %value: f32):
        loop.store %value, %y[%k, %row, %column] : f32 -> memref<4x16x16xf32>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
