// RUN: dlc-opt %s -t c | filecheck %s

// Each thread goes through its own share of the iterations from the last to the first.
// CHECK:      int dlc_share(int n, int after)
// CHECK:      #pragma omp parallel{{$}}
// CHECK-NEXT: for (int [[I:.*]] = dlc_share(8, 1) - 1, [[F:.*]] = dlc_share(8, 0); [[I]] >= [[F]]; --[[I]]) {
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores attributes {backward} {
    %z = arith.constant 0.000000e+00 : f32
    %s = loop.for %k = 0 to 1024 kind = reduction map = serial iter_args(%a = %z) -> (f32) {
      %0 = loop.load %w[%i, %k] : memref<1024x1024xf32> -> f32
      %1 = arith.addf %a, %0 : f32
      loop.yield %1 : f32
    }
    loop.store %s, %y[%i] : f32 -> memref<8xf32>
    loop.yield
  }
  loop.end
}
