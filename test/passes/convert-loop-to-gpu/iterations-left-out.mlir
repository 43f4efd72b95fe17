// RUN: dlc-opt %s --convert-loop-to-gpu=arch=sm_90a | filecheck %s

// A loop ends at its last iteration that is not left out, also where it has one at most.
// CHECK:      %[[N:.*]] = loop.index [%{{.*}} mod 9]
// CHECK:      scf.for %{{.*}} = %{{.*}} to %[[N]] step
// CHECK:      %[[M:.*]] = loop.index [%{{.*}} mod 2]
// CHECK:      scf.for %{{.*}} = %{{.*}} to %[[M]] step
loop.kernel @g(%x: memref<32x9xf32>, %y: memref<32x9xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %n = loop.index [%t mod 9]
    loop.for %k = 0 to 9 until %n kind = parallel map = serial {
      %e = loop.load %x[%t, %k] : memref<32x9xf32> -> f32
      loop.store %e, %y[%t, %k] : f32 -> memref<32x9xf32>
      loop.yield
    }
    %m = loop.index [%t mod 2]
    loop.for %k = 0 to 1 until %m kind = parallel map = serial {
      %e = loop.load %x[%t, %k] : memref<32x9xf32> -> f32
      loop.store %e, %y[%t, %k] : f32 -> memref<32x9xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
