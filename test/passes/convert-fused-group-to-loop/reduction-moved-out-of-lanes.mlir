// RUN: dlc-opt --convert-fused-group-to-loop %s | filecheck %s

// A sum that no index of the result moves is computed once, before the lanes: there the branch of
// the choice stands as deep as the lanes do elsewhere, and is not taken for them.
// CHECK:      loop.for %[[I:.*]] = 0 to 2 kind = parallel map = serial {
// CHECK:        %[[Y:.*]] = scf.if
// CHECK:          loop.for %{{.*}} = 0 to 1 kind = reduction map = serial iter_args
// CHECK:        } else {
// CHECK:        loop.for %[[J:.*]] = 0 to 6 kind = parallel map = vector {
// CHECK-NEXT:     loop.store %[[Y]],

func.func @main(%x: tensor<1xf32>) -> tensor<2x3x2xf32> {
  %y = fused_group.group @sum(%x) : (tensor<1xf32>) -> tensor<2x3x2xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", cores = false>} {
  ^bb0(%0: tensor<1xf32>):
    %1 = graph.reduce_sum %0 axes [0] keep_dims : tensor<1xf32> -> tensor<1xf32>
    %2 = graph.constant dense<2.0> : tensor<1xf32>
    %3 = graph.concat %1, %2 {axis = 0 : i64} : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %4 = graph.reshape %3 {sizes = array<i64: 2, 1, 1>} : tensor<2xf32> -> tensor<2x1x1xf32>
    %5 = graph.broadcast %4 {sizes = array<i64: 2, 3, 2>} : tensor<2x1x1xf32> -> tensor<2x3x2xf32>
    fused_group.yield %5 : tensor<2x3x2xf32>
  }
  func.return %y : tensor<2x3x2xf32>
}
