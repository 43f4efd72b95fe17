// RUN: dlc-opt %s --loop-pipeline-stages | filecheck %s

// One slice at a time needs no slots, and so does a loop that nobody asked to pipeline.

// CHECK-LABEL: loop.kernel @one
// CHECK:       %s = loop.alloc : memref<16x16xf16, #loop.space<shared>>
// CHECK-NEXT:  loop.for %k = 0 to 9 kind = reduction map = serial {
// CHECK-NEXT:    loop.stage %s map
// CHECK-NOT:   gpu
loop.kernel @one(%x: memref<16x144xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %s = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 1 : i64} {
      loop.stage %s map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 16 + %j] : memref<16x144xf16> -> f32
        loop.yield %e : f32
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// CHECK-LABEL: loop.kernel @none
// CHECK:       loop.for %k = 0 to 9 kind = reduction map = serial {
// CHECK-NEXT:    loop.stage %s map
// CHECK-NOT:   gpu
loop.kernel @none(%x: memref<16x144xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %s = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial {
      loop.stage %s map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %k * 16 + %j] : memref<16x144xf16> -> f32
        loop.yield %e : f32
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
