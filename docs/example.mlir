func.func @main(%x: tensor<64x512xf16>, %b: tensor<512xf16>) -> tensor<64x512xf16> {
  %0 = graph.add %x, %b : (tensor<64x512xf16>, tensor<512xf16>) -> tensor<64x512xf16>
  %1 = graph.softmax %0 axis 1 : tensor<64x512xf16> -> tensor<64x512xf16>
  func.return %1 : tensor<64x512xf16>
}
