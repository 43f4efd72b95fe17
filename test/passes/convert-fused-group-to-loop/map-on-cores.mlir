// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// The bias is the same for every row, so the two axes stay two loops; the producer of the product is
// computed where it is read, once for all lanes of the product.
// CHECK:      loop.kernel @g1(%xi: memref<8x76xf32>, %bi: memref<76xf32>, %wi: memref<76x5xf32>, %[[Y:.*]]: memref<8x76xf32>, %[[Z:.*]]: memref<8x5xf32>) attributes {outputs = 2 : i64} {
// CHECK-NEXT:   loop.for %[[I:.*]] = 0 to 8 kind = parallel map = serial {
// CHECK-NEXT:     loop.for %[[J:.*]] = 0 to 76 kind = parallel map = vector {
// CHECK-NEXT:       loop.load %xi[%[[I]], %[[J]]]
// CHECK-NEXT:       loop.load %bi[%[[J]]]
// CHECK:            loop.store %{{.*}}, %[[Y]][%[[I]], %[[J]]]
// CHECK:        loop.for %[[M:.*]] = 0 to 8 kind = parallel map = serial {
// CHECK:          %[[A:.*]] = loop.alloc : memref<5xf32, #loop.space<register>>
// CHECK:          loop.for %[[K:.*]] = 0 to 76 kind = reduction map = serial
// CHECK-NEXT:       loop.load %xi[%[[M]], %[[K]]]
// CHECK:            loop.for %[[N:.*]] = 0 to 5 kind = parallel map = vector {
// CHECK-NEXT:         loop.load %[[A]][%[[N]]]
// CHECK-NEXT:         loop.load %wi[%[[K]], %[[N]]]
// CHECK:          loop.for %[[L:.*]] = 0 to 5 kind = parallel map = vector {
// CHECK:            loop.store %{{.*}}, %[[Z]][%[[M]], %[[L]]]
// CHECK-LABEL: func.func @main
// CHECK-NEXT:   %y, %z = fused_group.launch @g1(%x, %b, %w)
func.func @main(%x: tensor<8x76xf32>, %b: tensor<76xf32>, %w: tensor<76x5xf32>) -> tensor<8x5xf32> {
  %y, %z = fused_group.group @g1(%x, %b, %w) : (tensor<8x76xf32>, tensor<76xf32>, tensor<76x5xf32>) -> (tensor<8x76xf32>, tensor<8x5xf32>) {
  ^bb0(%xi: tensor<8x76xf32>, %bi: tensor<76xf32>, %wi: tensor<76x5xf32>):
    %0 = graph.add %xi, %bi : (tensor<8x76xf32>, tensor<76xf32>) -> tensor<8x76xf32>
    %1 = graph.relu %0 : tensor<8x76xf32> -> tensor<8x76xf32>
    %2 = graph.matmul %1, %wi : (tensor<8x76xf32>, tensor<76x5xf32>) -> tensor<8x5xf32>
    fused_group.yield %1, %2 : tensor<8x76xf32>, tensor<8x5xf32>
  }
  func.return %z : tensor<8x5xf32>
}
