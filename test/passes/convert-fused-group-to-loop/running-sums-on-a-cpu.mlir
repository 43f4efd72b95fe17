// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// A core goes along a row, and reads each element once; what is around the sum is computed with it.
// CHECK-LABEL: loop.kernel @rows
// CHECK:       loop.for %[[R:.*]] = 0 to 3 kind = parallel map = cores {
// CHECK:         loop.for %[[I:.*]] = 0 to 100 kind = reduction map = serial {
// CHECK:           loop.load %xi[%[[R]], %[[I]]]
// CHECK:           arith.addf
// CHECK:           math.exp
// CHECK-NEXT:      loop.store %{{.*}}[%[[R]], %[[I]]]
// CHECK-NOT:   loop.for
// CHECK-LABEL: loop.kernel @columns
// CHECK:       loop.for %[[U:.*]] = 0 to 4 kind = parallel map = serial {
// CHECK:         loop.for %[[I:.*]] = 0 to 100 kind = reduction map = serial {
// CHECK-NEXT:      loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK:             loop.load %xi[{{.*}} + 99, %[[U]] * 8 + %[[V]]]
func.func @main(%x: tensor<3x100xf32>, %y: tensor<100x32xf32>) -> (tensor<3x100xf32>, tensor<100x32xf32>) {
  %0 = fused_group.group @rows(%x) : (tensor<3x100xf32>) -> tensor<3x100xf32> attributes {schedule = #loop.schedule<strategy = "scan", target = "cpu", cores = true>} {
  ^bb0(%xi: tensor<3x100xf32>):
    %s = graph.cum_sum %xi axis 1 : tensor<3x100xf32> -> tensor<3x100xf32>
    %e = graph.exp %s : tensor<3x100xf32> -> tensor<3x100xf32>
    fused_group.yield %e : tensor<3x100xf32>
  }
  %1 = fused_group.group @columns(%y) : (tensor<100x32xf32>) -> tensor<100x32xf32> attributes {schedule = #loop.schedule<strategy = "scan", target = "cpu", vector = 8>} {
  ^bb0(%xi: tensor<100x32xf32>):
    %s = graph.cum_sum %xi axis 0 reverse : tensor<100x32xf32> -> tensor<100x32xf32>
    fused_group.yield %s : tensor<100x32xf32>
  }
  func.return %0, %1 : tensor<3x100xf32>, tensor<100x32xf32>
}
