// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Three slices are too few to do one more step than there are; of three steps the first and the last
// have the same registers. All products stand in the loop then.

// CHECK-LABEL: loop.kernel @few
// CHECK:       loop.for %k = 0 to 3
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    loop.alloc : memref<2x1x8xf16
// CHECK:         gpu.mma %{{.*}}[0, 0, 0]
// CHECK:         gpu.mma %{{.*}}[1, 0, 0]
// CHECK:       loop.end
loop.kernel @few(%y: memref<16x16xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>
    %a = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    loop.for %k = 0 to 3 kind = reduction map = serial {
      gpu.barrier
      loop.contract %acc, %a, %b transpose_rhs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<16x32xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// CHECK-LABEL: loop.kernel @odd
// CHECK:       loop.for %k = 0 to 4
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    gpu.ldmatrix
// CHECK:         gpu.mma %{{.*}}[0, 0, 0]
// CHECK:         gpu.mma %{{.*}}[1, 0, 0]
// CHECK:         gpu.mma %{{.*}}[0, 0, 0]
// CHECK:       loop.end
loop.kernel @odd(%y: memref<16x16xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>
    %a = loop.alloc : memref<16x48xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x48xf16, #loop.space<shared>>
    loop.for %k = 0 to 4 kind = reduction map = serial {
      gpu.barrier
      loop.contract %acc, %a, %b transpose_rhs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2)>, #loop.space<register>>, memref<16x48xf16, #loop.space<shared>>, memref<16x48xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
