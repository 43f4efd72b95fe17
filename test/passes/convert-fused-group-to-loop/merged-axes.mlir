// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// CHECK-LABEL: loop.kernel @all_contiguous
// CHECK-NEXT:    loop.for %{{.*}} = 0 to 105 kind = parallel map = vector {
// CHECK-LABEL: loop.kernel @bias_of_the_middle_axis
// CHECK-NEXT:    loop.for %[[P:.*]] = 0 to 15 kind = parallel map = serial {
// CHECK-NEXT:      loop.load %bi[%[[P]] mod 5, 0]
// CHECK-NEXT:      loop.for %[[J:.*]] = 0 to 7 kind = parallel map = vector {
// CHECK-NEXT:        loop.load %xi[%[[P]] floordiv 5, %[[P]] mod 5, %[[J]]]
func.func @main(%x: tensor<3x5x7xf32>, %b: tensor<5x1xf32>) -> (tensor<3x5x7xf32>, tensor<3x5x7xf32>) {
  %y = fused_group.group @all_contiguous(%x) : (tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {
  ^bb0(%xi: tensor<3x5x7xf32>):
    %0 = graph.relu %xi : tensor<3x5x7xf32> -> tensor<3x5x7xf32>
    fused_group.yield %0 : tensor<3x5x7xf32>
  }
  %z = fused_group.group @bias_of_the_middle_axis(%x, %b) : (tensor<3x5x7xf32>, tensor<5x1xf32>) -> tensor<3x5x7xf32> {
  ^bb0(%xi: tensor<3x5x7xf32>, %bi: tensor<5x1xf32>):
    %0 = graph.add %xi, %bi : (tensor<3x5x7xf32>, tensor<5x1xf32>) -> tensor<3x5x7xf32>
    fused_group.yield %0 : tensor<3x5x7xf32>
  }
  func.return %y, %z : tensor<3x5x7xf32>, tensor<3x5x7xf32>
}
