// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

loop.kernel @sum(%x: memref<5x256xf16>, %y: memref<5x1xf32>) attributes {outputs = 1 : i64} {
  loop.for %b = 0 to 5 kind = parallel map = grid {
    loop.for %t = 0 to 64 kind = parallel map = thread {
      %zero = arith.constant 0.0 : f32
      %part = loop.for %k = 0 to 4 kind = reduction map = unroll iter_args(%a = %zero) -> (f32) {
        %v = loop.load %x[%b, %k * 64 + %t] : memref<5x256xf16> -> f32
        %n = arith.addf %a, %v : f32
        loop.yield %n : f32
      }
      %total = loop.combine %part over block : f32 {
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        loop.yield %s : f32
      }
      %first = arith.constant 0 : index
      %is_first = arith.cmpi eq, %t, %first : index
      scf.if %is_first {
        loop.store %total, %y[%b, 0] : f32 -> memref<5x1xf32>
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
// CHECK-LABEL: gpu.kernel @sum
// CHECK:      %[[S:.*]] = gpu.shared_alloc : memref<2xf32, #loop.space<shared>>
// CHECK-NEXT: %[[B:.*]] = gpu.block_id x : index
// CHECK-NEXT: %[[T:.*]] = gpu.thread_id x : index
// CHECK:      %[[PART:.*]] = scf.for
// CHECK:      } {unroll}
// CHECK-NEXT: %[[O:.*]] = gpu.shuffle xor %[[PART]], 16 : f32
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[PART]], %[[O]] : f32
// CHECK-NEXT: gpu.shuffle xor %[[A]], 8 : f32
// CHECK:      gpu.shuffle xor %{{.*}}, 1 : f32
// CHECK-NEXT: %[[W:.*]] = arith.addf
// CHECK-NEXT: %[[LANE:.*]] = loop.index [%[[T]] mod 32]
// CHECK:      scf.if
// CHECK-NEXT:   loop.store %[[W]], %[[S]][%[[T]] floordiv 32]
// CHECK-NEXT: }
// CHECK-NEXT: %[[OWN:.*]] = loop.load %[[S]][%[[T]] mod 2]
// CHECK-NEXT: %[[OTHER:.*]] = gpu.shuffle xor %[[OWN]], 1 : f32
// CHECK-NEXT: %[[TOTAL:.*]] = arith.addf %[[OWN]], %[[OTHER]] : f32
// CHECK:      loop.store %[[TOTAL]], %y[%[[B]], 0] : f32 -> memref<5x1xf32>
