// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Two steps a slice, with registers of their own. A step is loaded in front of the products of the step
// before; those of a slice's last step are left to the next slice, which starts with its first loads.
// The first slice multiplies zeros there, and the last step of all comes after the loop.

// CHECK-LABEL: loop.kernel @even
// CHECK:       %[[A:.*]] = loop.alloc : memref<2x1x8xf16, #loop.space<register>>
// CHECK-NEXT:  %[[B:.*]] = loop.alloc : memref<2x1x8xf16, #loop.space<register>>
// CHECK:       loop.store %{{.*}}, %[[A]][1, 0, %{{.*}}]
// CHECK:       loop.store %{{.*}}, %[[B]][1, 0, %{{.*}}]
// CHECK:       loop.for %k = 0 to 4
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    gpu.ldmatrix %a[{{.*}}, %{{.*}} floordiv 16 * 8] to %[[A]][0, 0, 0]
// CHECK-NEXT:    gpu.ldmatrix %b[{{.*}}] to %[[B]][0, 0, 0]
// CHECK-NEXT:    loop.for
// CHECK-NEXT:      gpu.mma %[[A]][1, 0, 0], %[[B]][1, 0,
// CHECK:         gpu.ldmatrix %a[{{.*}}, %{{.*}} floordiv 16 * 8 + 16] to %[[A]][1, 0, 0]
// CHECK-NEXT:    gpu.ldmatrix %b[{{.*}}] to %[[B]][1, 0, 0]
// CHECK-NEXT:    loop.for
// CHECK-NEXT:      gpu.mma %[[A]][0, 0, 0], %[[B]][0, 0,
// CHECK:         loop.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    loop.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  loop.for
// CHECK-NEXT:    gpu.mma %[[A]][1, 0, 0], %[[B]][1, 0,
loop.kernel @even(%y: memref<16x16xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>
    %a = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    loop.for %k = 0 to 4 kind = reduction map = serial {
      gpu.barrier
      loop.contract %acc, %a, %b transpose_rhs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<16x32xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
