// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// What a loop over threads says of its rounds stays with them; a loop of one round says nothing.
// CHECK:      scf.for {{.*}} {
// CHECK:      } {straight}
// CHECK-NOT:  straight
loop.kernel @rounds(%x: memref<200xf32>, %y: memref<200xf32>) attributes {outputs = 1 : i64, threads = 64 : i64} {
  loop.for %t = 0 to 200 kind = parallel map = thread attributes {straight} {
    %v = loop.load %x[%t] : memref<200xf32> -> f32
    loop.store %v, %y[%t] : f32 -> memref<200xf32>
    loop.yield
  }
  loop.for %t = 0 to 64 kind = parallel map = thread attributes {straight} {
    %v = loop.load %x[%t] : memref<200xf32> -> f32
    loop.store %v, %y[%t] : f32 -> memref<200xf32>
    loop.yield
  }
  loop.for %t = 0 to 200 kind = parallel map = thread {
    %v = loop.load %x[%t] : memref<200xf32> -> f32
    loop.store %v, %y[%t] : f32 -> memref<200xf32>
    loop.yield
  }
  loop.end
}
