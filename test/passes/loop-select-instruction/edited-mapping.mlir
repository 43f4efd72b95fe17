// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// The mapping alone says which thread has what: two neighbouring columns and every fourth row here,
// and an odd number of fragments, which no pair of matrices can load, there.

// CHECK-LABEL: loop.kernel @fma
// CHECK:       loop.alloc : memref<4x2xf32, #loop.space<register>>
// CHECK:       gpu.copy %a[%[[I:.*]] * 4 + %{{.*}} floordiv 8, %{{.*}}] to %{{.*}}[%[[I]], 0] {elements = 4 : i64}
// CHECK:       gpu.copy %b[%{{.*}} mod 8 * 2 + %[[J:.*]], %{{.*}}] to %{{.*}}[%[[J]], 0] {elements = 4 : i64}
// CHECK:       math.fma
loop.kernel @fma(%y: memref<16x16xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x16xf32, #loop.spread<instruction = "fma", map = repeat(4, 1) * spatial(4, 8) * repeat(1, 2)>, #loop.space<register>>
    %a = loop.alloc : memref<16x8xf32, #loop.space<shared>>
    %b = loop.alloc : memref<16x8xf32, #loop.space<shared>>
    loop.contract %acc, %a, %b transpose_rhs : memref<16x16xf32, #loop.spread<instruction = "fma", map = repeat(4, 1) * spatial(4, 8) * repeat(1, 2)>, #loop.space<register>>, memref<16x8xf32, #loop.space<shared>>, memref<16x8xf32, #loop.space<shared>>
    loop.yield
  }
  loop.end
}

// CHECK-LABEL: loop.kernel @columns_apart
// CHECK:       loop.alloc : memref<1x3x4xf32, #loop.space<register>>
// CHECK:       gpu.ldmatrix %b[%[[J:.*]] * 16 + %0 * 8 + %1 mod 8, {{.*}} to %{{.*}}[0, %[[J]], 0] {matrices = 2 : i64}
loop.kernel @columns_apart(%y: memref<16x48xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    %acc = loop.zero : memref<16x48xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 3) * spatial(1, 2)>, #loop.space<register>>
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<48x16xf16, #loop.space<shared>>
    loop.contract %acc, %a, %b transpose_rhs : memref<16x48xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 3) * spatial(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<48x16xf16, #loop.space<shared>>
    loop.yield
  }
  loop.end
}
