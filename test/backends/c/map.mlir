// RUN: dlc-opt %s --lower-to-loop -t c | filecheck %s

// CHECK:      static void g0_body(const float *restrict b1, const float *restrict b2, float *restrict b3) {
// CHECK-NEXT:   #pragma omp parallel for schedule(static)
// CHECK-NEXT:   for (int i4 = 0; i4 < 3; ++i4) {
// CHECK-NEXT:     const float v5 = b2[i4];
// CHECK-NEXT:     #pragma omp simd
// CHECK-NEXT:     for (int i6 = 0; i6 < 35; ++i6) {
// CHECK-NEXT:       const float v7 = b1[i4 * 35 + i6];
// CHECK-NEXT:       const float v8 = v7 + v5;
// CHECK-NEXT:       const float v9 = dlc_expf(v8);
// CHECK-NEXT:       b3[i4 * 35 + i6] = v9;
// CHECK-NEXT:     }
// CHECK-NEXT:   }
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
