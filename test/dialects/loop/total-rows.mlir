// RUN: %roundtrip

// CHECK: loop.kernel @rows
loop.kernel @rows(%y: memref<30x16xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %acc = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>
    %sums = loop.alloc : memref<32xf32, #loop.space<shared>>
    %zero = arith.constant 0.000000e+00 : f32
    // CHECK: loop.total_rows %acc into %sums from %zero at [%t * 0, 0] within [30, 13] : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf32, #loop.space<shared>>, f32 {
    // CHECK-NEXT: ^bb0(%row: index, %column: index, %v: f32):
    // CHECK:      } combine {
    // CHECK-NEXT: ^bb0(%a: f32, %b: f32):
    loop.total_rows %acc into %sums from %zero at [%t * 0, 0] within [30, 13] : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf32, #loop.space<shared>>, f32 {
    ^bb0(%row: index, %column: index, %v: f32):
      %q = arith.mulf %v, %v : f32
      loop.yield %q : f32
    } combine {
    ^bb1(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      loop.yield %c : f32
    }
    // CHECK: loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 32] cluster : 
    loop.total_rows %acc into %sums from %zero at [0, 0] within [30, 32] cluster : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 1)>, #loop.space<register>>, memref<32xf32, #loop.space<shared>>, f32 {
    ^bb0(%row: index, %column: index, %v: f32):
      loop.yield %v : f32
    } combine {
    ^bb1(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      loop.yield %c : f32
    }
    loop.yield
  }
  loop.end
}
