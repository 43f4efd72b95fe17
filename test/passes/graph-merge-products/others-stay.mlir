// RUN: dlc-opt %s --graph-merge-products=arch=sm_90a | filecheck %s

// Of four products in a block the two of %x become one; neither that of another tensor nor that by %x is among them.
// CHECK-LABEL: @beside
// CHECK:       graph.matmul %z, %u
// CHECK:       %[[W:.*]] = graph.concat %{{.*}}, %{{.*}} {axis = 1
// CHECK-NEXT:  graph.matmul %x, %[[W]] : (tensor<128x768xf16>, tensor<768x1536xf16>)
func.func @beside(%x: tensor<128x768xf16>, %z: tensor<128x768xf16>) -> (tensor<128x768xf16>, tensor<128x768xf16>, tensor<128x768xf16>) {
  %u = graph.weight @u : tensor<768x768xf16>
  %v = graph.weight @v : tensor<768x768xf16>
  %0 = graph.matmul %z, %u : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
  %1 = graph.matmul %x, %u : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
  %2 = graph.matmul %x, %v : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
  func.return %0, %1, %2 : tensor<128x768xf16>, tensor<128x768xf16>, tensor<128x768xf16>
}

// What is the lhs of one product and the rhs of another.
// CHECK-LABEL: @by_itself
// CHECK-NOT:   graph.concat
func.func @by_itself(%z: tensor<768x768xf16>) -> (tensor<768x768xf16>, tensor<768x768xf16>) {
  %x = graph.weight @x : tensor<768x768xf16>
  %u = graph.weight @u2 : tensor<768x768xf16>
  %0 = graph.matmul %x, %u : (tensor<768x768xf16>, tensor<768x768xf16>) -> tensor<768x768xf16>
  %1 = graph.matmul %z, %x : (tensor<768x768xf16>, tensor<768x768xf16>) -> tensor<768x768xf16>
  func.return %0, %1 : tensor<768x768xf16>, tensor<768x768xf16>
}
