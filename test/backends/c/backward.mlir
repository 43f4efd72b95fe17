// RUN: dlc-opt %s -t c | filecheck %s

// Each thread goes through its own share of the iterations from the last to the first.
// CHECK:      int dlc_share(int n, int after)
// CHECK:      #pragma omp parallel{{$}}
// CHECK-NEXT: for (int [[I:.*]] = dlc_share(8, 1) - 1, [[F:.*]] = dlc_share(8, 0); [[I]] >= [[F]]; --[[I]]) {
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores attributes {backward} {
    loop.for %k = 0 to 8 kind = parallel map = serial {
      loop.yield
    }
    loop.yield
  }
  loop.end
}
