// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<4x6xf32>, %b: tensor<f32>, %c: tensor<i8>, %d: tensor<4xf32>, %e: tensor<4xui8>, %f: tensor<4x2xf32>, %g: tensor<4x2xi8>, %h: tensor<4x6xi8>) {
  // CHECK-NEXT: %0 = graph.quantize_linear %a scale %b zero_point %c axis 0 : tensor<4x6xf32>, tensor<f32>, tensor<i8> -> tensor<4x6xi8>
  %0 = graph.quantize_linear %a scale %b zero_point %c axis 0 : tensor<4x6xf32>, tensor<f32>, tensor<i8> -> tensor<4x6xi8>
  // CHECK-NEXT: %1 = graph.quantize_linear %a scale %d zero_point %e axis 0 : tensor<4x6xf32>, tensor<4xf32>, tensor<4xui8> -> tensor<4x6xui8>
  %1 = graph.quantize_linear %a scale %d zero_point %e axis 0 : tensor<4x6xf32>, tensor<4xf32>, tensor<4xui8> -> tensor<4x6xui8>
  // CHECK-NEXT: %2 = graph.quantize_linear %a scale %f zero_point %g axis 1 block 4 : tensor<4x6xf32>, tensor<4x2xf32>, tensor<4x2xi8> -> tensor<4x6xi8>
  %2 = graph.quantize_linear %a scale %f zero_point %g axis 1 block 4 : tensor<4x6xf32>, tensor<4x2xf32>, tensor<4x2xi8> -> tensor<4x6xi8>
  // CHECK-NEXT: %3 = graph.dequantize_linear %h scale %b zero_point %c axis 0 : tensor<4x6xi8>, tensor<f32>, tensor<i8> -> tensor<4x6xf32>
  %3 = graph.dequantize_linear %h scale %b zero_point %c axis 0 : tensor<4x6xi8>, tensor<f32>, tensor<i8> -> tensor<4x6xf32>
  // CHECK-NEXT: %4 = graph.dequantize_linear %h scale %f zero_point %g axis 1 block 4 : tensor<4x6xi8>, tensor<4x2xf32>, tensor<4x2xi8> -> tensor<4x6xf32>
  %4 = graph.dequantize_linear %h scale %f zero_point %g axis 1 block 4 : tensor<4x6xi8>, tensor<4x2xf32>, tensor<4x2xi8> -> tensor<4x6xf32>
  func.return
}
