// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Two phases: %0 is read behind both products, so its sums go at once to where both find them, units
// padded to whole vectors; those of %2 stay in the block's registers.
// CHECK-LABEL: loop.kernel @g0
// CHECK-SAME:    %3: memref<2x2x20xf32>, %4: memref<1x2x20xf32>, %5: memref<2x24xf32>)
// CHECK:         loop.for %{{.*}} = 0 to 2 kind = reduction
// CHECK:           loop.for %[[B:.*]] = 0 to 2 kind = parallel map = cores {
// CHECK:             loop.load %3[0, 0, %{{.*}}]
// CHECK:             loop.store_vector %{{.*}}, %5[0, %[[B]] * 8]
// CHECK:             %[[S:.*]] = loop.load %5[%{{.*}}, %{{.*}}]
// CHECK-NEXT:        %[[T:.*]] = math.tanh %[[S]]
// CHECK-NEXT:        loop.store %[[T]], %4[0, %{{.*}}, %{{.*}}]
// CHECK-NEXT:        loop.yield
// The last four units of the first phase.
// CHECK:           loop.store_vector %{{.*}}, %5[0, 16]
// CHECK:           loop.for %{{.*}} = 0 to 2 kind = parallel map = cores {
// CHECK-NEXT:        %[[R:.*]] = loop.alloc
// CHECK:             loop.load %4[0, 0, %{{.*}}]
// CHECK:             loop.store_vector %{{.*}}, %[[R]][0, 0]
// CHECK:             loop.load %5[
// CHECK:             loop.load %[[R]][
// CHECK:             loop.store %{{.*}}, %3[1, %{{.*}}, %{{.*}}]
func.func @main(%s: tensor<2x20xf32>, %u: tensor<20x20xf32>) -> tensor<2x20xf32> {
  %y = fused_group.group @g0(%s, %u) : (tensor<2x20xf32>, tensor<20x20xf32>) -> tensor<2x20xf32> attributes {schedule = #loop.schedule<strategy = "recurrent", target = "cpu", tile = [2, 8], lanes = 8, cores = true, ahead = false>} {
  ^bb0(%a: tensor<2x20xf32>, %b: tensor<20x20xf32>):
    %l = graph.step_loop carry(%a) slice() read(%b) {steps = 4 : i64} : (tensor<2x20xf32>) () (tensor<20x20xf32>) -> tensor<2x20xf32> {
    ^bb1(%h: tensor<2x20xf32>, %m: tensor<20x20xf32>):
      %0 = graph.matmul %h, %m : (tensor<2x20xf32>, tensor<20x20xf32>) -> tensor<2x20xf32>
      %1 = graph.tanh %0 : tensor<2x20xf32> -> tensor<2x20xf32>
      %2 = graph.matmul %1, %m : (tensor<2x20xf32>, tensor<20x20xf32>) -> tensor<2x20xf32>
      %3 = graph.add %0, %2 : (tensor<2x20xf32>, tensor<2x20xf32>) -> tensor<2x20xf32>
      graph.yield %3 : tensor<2x20xf32>
    }
    fused_group.yield %l : tensor<2x20xf32>
  }
  func.return %y : tensor<2x20xf32>
}
