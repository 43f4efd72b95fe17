// RUN: %roundtrip

// CHECK: loop.kernel @g0(%x: memref<128x768xf16>, %y: memref<128xf32>, %s: memref<64xi8>) attributes {outputs = 1 : i64, scratch = array<i64: 64>} {
loop.kernel @g0(%x: memref<128x768xf16>, %y: memref<128xf32>, %s: memref<64xi8>) attributes {outputs = 1 : i64, scratch = array<i64: 64>} {
  // CHECK-NEXT: loop.for %i = 0 to 128 kind = parallel map = grid {
  loop.for %i = 0 to 128 kind = parallel map = grid {
    %z = arith.constant 0.0 : f32
    // CHECK: %r = loop.for %k = 0 to 768 step 2 kind = reduction map = serial iter_args(%a = %z) -> (f32) attributes {test.hint = 3 : i64} {
    %r = loop.for %k = 0 to 768 step 2 kind = reduction map = serial iter_args(%a = %z) -> (f32) attributes {test.hint = 3 : i64} {
      // CHECK-NEXT: %v = loop.load %x[%i + %k - 3, (%k + %i) floordiv 2 mod 4] guard [0, 1] fill 0xff800000 : f32 : memref<128x768xf16> -> f32
      %v = loop.load %x[%i + %k - 3, (%k + %i) floordiv 2 mod 4] guard [0, 1] fill 0xff800000 : f32 : memref<128x768xf16> -> f32
      %n = arith.addf %a, %v : f32
      // CHECK: %d = loop.index [%i * 2 + 1]
      %d = loop.index [%i * 2 + 1]
      // CHECK-NEXT: %p = loop.load_vector %x[%i, %d] lanes %k : memref<128x768xf16> -> vector<8xf32>
      %p = loop.load_vector %x[%i, %d] lanes %k : memref<128x768xf16> -> vector<8xf32>
      // CHECK-NEXT: loop.store_vector %p, %x[%i, %d * 8] : vector<8xf32> -> memref<128x768xf16>
      loop.store_vector %p, %x[%i, %d * 8] : vector<8xf32> -> memref<128x768xf16>
      // CHECK-NEXT: loop.prefetch %x[%i * 2, %k] next %i : memref<128x768xf16>
      loop.prefetch %x[%i * 2, %k] next %i : memref<128x768xf16>
      // CHECK-NEXT: loop.yield %n : f32
      loop.yield %n : f32
    }
    // CHECK: %t = loop.combine %r over block : f32 {
    %t = loop.combine %r over block : f32 {
    ^bb0(%l: f32, %q: f32):
      %m = arith.addf %l, %q : f32
      loop.yield %m : f32
    }
    // CHECK: %e = loop.remf %t, %z : f32
    %e = loop.remf %t, %z : f32
    // CHECK: %b = loop.alloc : memref<64x32xf16, #loop.space<shared>>
    %b = loop.alloc : memref<64x32xf16, #loop.space<shared>>
    // CHECK-NEXT: loop.store %t, %y[%i] : f32 -> memref<128xf32>
    loop.store %t, %y[%i] : f32 -> memref<128xf32>
    // CHECK-NEXT: loop.yield
    loop.yield
  }
  %until = loop.index [5]
  // CHECK: loop.for %left = 0 to 8 until %until kind = reduction map = serial {
  loop.for %left = 0 to 8 until %until kind = reduction map = serial {
    loop.yield
  }
  // CHECK: loop.end
  loop.end
}

// CHECK: schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [4, 16], lanes = 8, cores = true>, bound = #loop.bound<share = 1.0e-05>
// CHECK-SAME: workers = #loop.task_map<spatial(2, 2) * repeat(2, 8)>
builtin.module attributes {
  schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [4, 16], lanes = 8, cores = true>, bound = #loop.bound<share = 1.0e-05>,
  workers = #loop.task_map<spatial(2, 2) * repeat(2, 8)>
} {}
