// RUN: %roundtrip

loop.kernel @k(%x: memref<256xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 256 kind = parallel map = thread {
    // CHECK:      loop.roles %t threads [128, 128] registers [232, 40] {
    // CHECK-NEXT: ^bb0(%a: index):
    // CHECK:      }, {
    // CHECK-NEXT: ^bb0(%b: index):
    loop.roles %t threads [128, 128] registers [232, 40] {
    ^bb0(%a: index):
      %v = loop.load %x[%a] : memref<256xf32> -> f32
      loop.store %v, %x[%a] : f32 -> memref<256xf32>
      loop.yield
    }, {
    ^bb0(%b: index):
      loop.yield
    }
    // CHECK:      loop.roles %t threads [32] {
    loop.roles %t threads [32] {
    ^bb0(%c: index):
      // CHECK:      attributes {pipeline = 2 : i64, staggered, producers = 4 : i64, registers = array<i64: 200, 40>}
      loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 2 : i64, staggered, producers = 4 : i64, registers = array<i64: 200, 40>} {
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
