// RUN: dlc-opt %s --loop-hoist-indices | filecheck %s

// What neither loop changes leaves both, with what it is computed from; what the outer one changes leaves the inner one.

// CHECK:      loop.for %t = 0 to 64 kind = parallel map = thread {
// CHECK-NEXT:   %row = loop.index [%t floordiv 9]
// CHECK-NEXT:   %base = loop.index [%row * 3]
// CHECK-NEXT:   loop.for %i = 0 to 4 kind = reduction map = serial {
// CHECK-NEXT:     %slice = loop.index [%base + %i]
// CHECK-NEXT:     loop.for %k = 0 to 4 kind = reduction map = serial {
// CHECK-NEXT:       %at = loop.index [%slice + %k]
// CHECK-NEXT:       %v = loop.load %x[%at]
loop.kernel @g(%x: memref<80xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    loop.for %i = 0 to 4 kind = reduction map = serial {
      loop.for %k = 0 to 4 kind = reduction map = serial {
        %row = loop.index [%t floordiv 9]
        %base = loop.index [%row * 3]
        %slice = loop.index [%base + %i]
        %at = loop.index [%slice + %k]
        %v = loop.load %x[%at] : memref<80xf32> -> f32
        loop.store %v, %y[%t] : f32 -> memref<64xf32>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
