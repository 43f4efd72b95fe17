// RUN: dlc-opt %s -t c | filecheck %s

// Each thread goes through its own share of the iterations from the last to the first.
// CHECK:      static void k_share[[S:[0-9]+]]_body(int64_t first, int64_t end) {
// CHECK-NEXT:   for (int [[I:.*]] = end - 1; [[I]] >= first; --[[I]]) {
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores attributes {backward} {
    loop.for %k = 0 to 8 kind = parallel map = serial {
      loop.yield
    }
    loop.yield
  }
  loop.end
}
