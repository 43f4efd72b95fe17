// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// CHECK: gpu.kernel @fill
loop.kernel @fill(%x: memref<4xf32>, %c: memref<4xf32>, %y: memref<4xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 4 kind = parallel map = thread {
    %v = loop.load %x[%i] : memref<4xf32> -> f32
    loop.store %v, %y[%i] : f32 -> memref<4xf32>
    loop.yield
  }
  loop.end
}

// What is beside the kernels is not changed: launches, views, constants.
// CHECK-LABEL: func.func @not_for_kernels
// CHECK-NEXT:    %[[C:.*]] = graph.splat
// CHECK-NEXT:         %[[L:.*]] = fused_group.launch @fill(%x, %[[C]])
// CHECK-NEXT:    %[[V:.*]] = graph.reshape %[[L]]
// CHECK-NEXT:    func.return %[[V]]
func.func @not_for_kernels(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %c = graph.splat 1.0 : f32 -> tensor<4xf32>
  %l = fused_group.launch @fill(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v = graph.reshape %l {sizes = array<i64: 2, 2>} : tensor<4xf32> -> tensor<2x2xf32>
  func.return %v : tensor<2x2xf32>
}
