func.func @main(%x: tensor<128x512xf16>, %w: tensor<192x512xf16>, %b: tensor<192xf16>) -> tensor<128x192xf16> {
  %0 = graph.matmul %x, %w transpose_rhs : (tensor<128x512xf16>, tensor<192x512xf16>) -> tensor<128x192xf16>
  %1 = graph.add %0, %b : (tensor<128x192xf16>, tensor<192xf16>) -> tensor<128x192xf16>
  %2 = graph.relu %1 : tensor<128x192xf16> -> tensor<128x192xf16>
  func.return %2 : tensor<128x192xf16>
}
