// RUN: %roundtrip

loop.kernel @g0(%x: memref<128x8xf32>, %y: memref<128x8xf32>) attributes {outputs = 1 : i64, threads = 64 : i64} {
  // CHECK: loop.for %i = 0 to 8 kind = parallel map = thread attributes {team = 8 : i64, apart} {
  loop.for %i = 0 to 8 kind = parallel map = thread attributes {team = 8 : i64, apart} {
    %v = loop.load %x[0, %i] : memref<128x8xf32> -> f32
    // CHECK: %t = loop.combine %v over team : f32 {
    %t = loop.combine %v over team : f32 {
    ^bb0(%l: f32, %q: f32):
      %m = arith.addf %l, %q : f32
      loop.yield %m : f32
    }
    loop.yield
  }
  // CHECK: loop.for %k = 0 to 2 kind = parallel map = thread attributes {team = 32 : i64} {
  loop.for %k = 0 to 2 kind = parallel map = thread attributes {team = 32 : i64} {
    loop.yield
  }
  // CHECK: loop.for %b = 0 to 8 kind = parallel map = cores attributes {backward} {
  loop.for %b = 0 to 8 kind = parallel map = cores attributes {backward} {
    loop.yield
  }
  loop.end
}

// CHECK: loop.kernel @g1({{.*}}) attributes {outputs = 1 : i64, threads = 64 : i64, cluster = 2 : i64}
loop.kernel @g1(%x: memref<128xf32>, %y: memref<128xf32>) attributes {outputs = 1 : i64, threads = 64 : i64, cluster = 2 : i64} {
  %v = loop.load %x[0] : memref<128xf32> -> f32
  // CHECK: loop.meet
  loop.meet
  // CHECK: %o = loop.arrivals : memref<1xi64, #loop.space<shared>>
  %o = loop.arrivals : memref<1xi64, #loop.space<shared>>
  // CHECK: %t = loop.combine %v over cluster : f32 {
  %t = loop.combine %v over cluster : f32 {
  ^bb0(%l: f32, %q: f32):
    %m = arith.addf %l, %q : f32
    loop.yield %m : f32
  }
  // CHECK: %b, %a = loop.prefix %v, %t over block : f32, f32 {
  %b, %a = loop.prefix %v, %t over block : f32, f32 {
  ^bb0(%l: f32, %q: f32):
    %m = arith.addf %l, %q : f32
    loop.yield %m : f32
  }
  loop.end
}
