// RUN: dlc-opt %s --lower-to-loop -t c | filecheck %s

// CHECK:      struct g0_share4 {
// CHECK-NEXT:   const float *restrict b2;
// CHECK-NEXT:   const float *restrict b1;
// CHECK-NEXT:   float *restrict b3;
// CHECK-NEXT: };
// CHECK-NEXT: static void g0_share4_body(const float *restrict b2, const float *restrict b1, float *restrict b3, int64_t first, int64_t end) {
// CHECK-NEXT:   for (int i5 = first; i5 < end; ++i5) {
// CHECK-NEXT:     const float v6 = b2[i5];
// CHECK-NEXT:     #pragma omp simd
// CHECK-NEXT:     for (int i7 = 0; i7 < 35; ++i7) {
// CHECK-NEXT:       const float v8 = b1[i5 * 35 + i7];
// CHECK-NEXT:       const float v9 = v8 + v6;
// CHECK-NEXT:       const float v10 = dlc_expf(v9);
// CHECK-NEXT:       b3[i5 * 35 + i7] = v10;
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: static void g0_share4(void *captured, int64_t first, int64_t end) {
// CHECK-NEXT:   const struct g0_share4 *c = captured;
// CHECK-NEXT:   g0_share4_body(c->b2, c->b1, c->b3, first, end);
// CHECK-NEXT: }
// CHECK-NEXT: static void g0_body(const float *restrict b1, const float *restrict b2, float *restrict b3) {
// CHECK-NEXT:   struct g0_share4 g0_share4_captured = {b2, b1, b3};
// CHECK-NEXT:   dlc_spread(g0_share4, &g0_share4_captured, 3);
// CHECK-NEXT: }
// CHECK-NEXT: void g0(void *const *operands) {
// CHECK-NEXT:   g0_body(operands[0], operands[1], operands[2]);
// CHECK-NEXT: }
func.func @main(%x: tensor<3x5x7xf32>, %b: tensor<3x1x1xf32>) -> tensor<3x5x7xf32> {
  %y = fused_group.group @g0(%x, %b) : (tensor<3x5x7xf32>, tensor<3x1x1xf32>) -> tensor<3x5x7xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", cores = true>} {
  ^bb0(%xi: tensor<3x5x7xf32>, %bi: tensor<3x1x1xf32>):
    %0 = graph.add %xi, %bi : (tensor<3x5x7xf32>, tensor<3x1x1xf32>) -> tensor<3x5x7xf32>
    %1 = graph.exp %0 : tensor<3x5x7xf32> -> tensor<3x5x7xf32>
    fused_group.yield %1 : tensor<3x5x7xf32>
  }
  func.return %y : tensor<3x5x7xf32>
}
