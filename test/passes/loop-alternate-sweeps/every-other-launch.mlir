// RUN: dlc-opt %s --loop-alternate-sweeps=arch=cpu-avx512 | filecheck %s

// Every other launch on the same weights runs the copy; a launch of small kernels between changes nothing.
// CHECK:       loop.kernel @k
// CHECK-NEXT:    loop.for %i = 0 to 8 kind = parallel map = cores {
// CHECK:       loop.kernel @k_backward
// CHECK-NEXT:    loop.for %i = 0 to 8 kind = parallel map = cores attributes {backward} {
// CHECK-LABEL: @main
// CHECK:         fused_group.launch @k(%x
// CHECK:         fused_group.launch @small
// CHECK:         fused_group.launch @k_backward({{.*}}) of "g1"
// CHECK:         fused_group.launch @k({{.*}}) of "g2"
// CHECK:         fused_group.launch @k_backward({{.*}}) of "k"
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    loop.for %k = 0 to 8 kind = parallel map = serial {
      loop.yield
    }
    loop.yield
  }
  loop.end
}
loop.kernel @small(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    %0 = loop.load %x[%i] : memref<8xf32> -> f32
    loop.store %0, %y[%i] : f32 -> memref<8xf32>
    loop.yield
  }
  loop.end
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %w = graph.weight @w : tensor<1024x1024xf32>
  %0 = fused_group.launch @k(%x, %w) of "g0" : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  %1 = fused_group.launch @small(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = fused_group.launch @k(%1, %w) of "g1" : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  %3 = fused_group.launch @k(%2, %w) of "g2" : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  %4 = fused_group.launch @k(%3, %w) : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  func.return %4 : tensor<8xf32>
}
