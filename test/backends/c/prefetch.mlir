// RUN: dlc-opt %s -t c | filecheck %s

// The next iteration is the one after, or the one before where a core goes backward.
// CHECK-LABEL: static void k_share{{[0-9]+}}_body(
// CHECK:       for (int [[I:i[0-9]+]] = first;
// CHECK:       __builtin_prefetch(&{{.*}}[[[I]] * 32 + 36], 0, 2);
// CHECK-LABEL: static void l_share{{[0-9]+}}_body(
// CHECK:       for (int [[I:i[0-9]+]] = end - 1;
// CHECK:       __builtin_prefetch(&{{.*}}[[[I]] * 32 - 28], 0, 2);
loop.kernel @k(%w: memref<8x32xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    loop.prefetch %w[%i, 4] next %i : memref<8x32xf32>
    loop.yield
  }
  loop.end
}
loop.kernel @l(%w: memref<8x32xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores attributes {backward} {
    loop.prefetch %w[%i, 4] next %i : memref<8x32xf32>
    loop.yield
  }
  loop.end
}
