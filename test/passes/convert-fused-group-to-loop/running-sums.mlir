// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// A thread adds up its four elements and keeps each sum; an element is that sum and what is before the thread.
// CHECK:      loop.for %{{.*}} = 0 to 3 kind = parallel map = grid {
// CHECK:        loop.alloc : memref<4xf32, #loop.space<register>>
// CHECK:        %[[S:.*]] = loop.alloc : memref<4xf32, #loop.space<register>>
// CHECK:        %[[TOTAL:.*]] = loop.for %{{.*}} = 0 to 32 kind = reduction map = thread
// CHECK-NEXT:     loop.for %[[V:.*]] = 0 to 4 kind = reduction map = unroll iter_args(%[[A:.*]] =
// CHECK:            %[[N:.*]] = arith.addf %[[A]]
// CHECK-NEXT:       loop.store %[[N]], %[[S]][%[[V]]]
// CHECK:        %[[BEFORE:.*]], %{{.*}} = loop.prefix %[[TOTAL]], %{{.*}} over block : f32, f32
// CHECK:        %[[B:.*]] = arith.addf %{{.*}}, %[[BEFORE]]
// CHECK:        loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector
// CHECK-NEXT:     %[[OWN:.*]] = loop.load %[[S]][%[[V]]]
// CHECK-NEXT:     arith.addf %[[B]], %[[OWN]]
func.func @main(%x: tensor<3x128xf32>) -> tensor<3x128xf32> {
  %r = fused_group.group @g(%x) : (tensor<3x128xf32>) -> tensor<3x128xf32> attributes {schedule = #loop.schedule<strategy = "scan", target = "gpu", threads = 32, vector = 4>} {
  ^bb0(%xi: tensor<3x128xf32>):
    %s = graph.cum_sum %xi axis 1 : tensor<3x128xf32> -> tensor<3x128xf32>
    fused_group.yield %s : tensor<3x128xf32>
  }
  func.return %r : tensor<3x128xf32>
}

// From the end, and without the element itself: the last thread has the first line, and keeps what is before.
// CHECK:        %{{.*}} = loop.for %[[T:.*]] = 0 to 32 kind = reduction map = thread
// CHECK-NEXT:     loop.for %[[V:.*]] = 0 to 4 kind = reduction map = unroll iter_args(%[[A:.*]] =
// CHECK:            loop.store %[[A]], %{{.*}}[%[[V]] * -1 + 3]
func.func @back(%x: tensor<3x128xf32>) -> tensor<3x128xf32> {
  %r = fused_group.group @h(%x) : (tensor<3x128xf32>) -> tensor<3x128xf32> attributes {schedule = #loop.schedule<strategy = "scan", target = "gpu", threads = 32, vector = 4>} {
  ^bb0(%xi: tensor<3x128xf32>):
    %s = graph.cum_sum %xi axis 1 exclusive reverse : tensor<3x128xf32> -> tensor<3x128xf32>
    fused_group.yield %s : tensor<3x128xf32>
  }
  func.return %r : tensor<3x128xf32>
}
