// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// Four teams of 32 neighbouring threads, a row for each: 80 columns in rounds of 32. The total is known
// to all of a team, which is a warp: nothing goes through shared memory.
loop.kernel @rows(%x: memref<8x80xf32>, %y: memref<8x80xf32>) attributes {outputs = 1 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    loop.for %w = 0 to 4 kind = parallel map = thread attributes {team = 32 : i64} {
      %zero = arith.constant 0.0 : f32
      %part = loop.for %k = 0 to 80 kind = reduction map = thread iter_args(%a = %zero) -> (f32) {
        %v = loop.load %x[%b * 4 + %w, %k] : memref<8x80xf32> -> f32
        %n = arith.addf %a, %v : f32
        loop.yield %n : f32
      }
      %total = loop.combine %part over team : f32 {
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        loop.yield %s : f32
      }
      loop.for %k = 0 to 80 kind = parallel map = thread {
        loop.store %total, %y[%b * 4 + %w, %k] : f32 -> memref<8x80xf32>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
// CHECK:      block = array<i64: 128, 1, 1>
// CHECK-NOT:  shared_alloc
// CHECK:      %[[W:.*]] = loop.index [%[[T:.*]] floordiv 32]
// CHECK:      %[[LANE:.*]] = loop.index [%[[T]] mod 32]
// CHECK-NEXT: %[[N:.*]] = arith.constant 80 : index
// CHECK-NEXT: %[[STEP:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[PART:.*]] = scf.for %[[K:.*]] = %[[LANE]] to %[[N]] step %[[STEP]] iter_args
// CHECK-NEXT:   loop.load %x[%{{.*}} * 4 + %[[W]], %[[K]]]
// CHECK:      gpu.shuffle xor %[[PART]], 16 : f32
// CHECK:      scf.for
// CHECK-NEXT:   loop.store %{{.*}}, %y
