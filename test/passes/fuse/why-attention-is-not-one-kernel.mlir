// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_90a | filecheck %s

// What keeps a product, its softmax and the next product apart is said of all three, where the last
// two could share no kernel otherwise.

// CHECK: @g0({{.*}}"g1: one kernel would take
// CHECK: @g1({{.*}}"g2: g0, g1, g2 as one kernel: no schedule for attention of 64 queries and 64 keys of 512 elements fits on the chip; a small block needs {{[0-9]+}} registers per thread, sm_90a has 255"
func.func @main(%q: tensor<4x64x512xf16>, %k: tensor<4x64x512xf16>, %v: tensor<4x64x512xf16>) -> tensor<4x64x512xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<4x64x512xf16>, tensor<4x64x512xf16>) -> tensor<4x64x64xf16>
  %1 = graph.softmax %0 axis 2 : tensor<4x64x64xf16> -> tensor<4x64x64xf16>
  %2 = graph.matmul %1, %v : (tensor<4x64x64xf16>, tensor<4x64x512xf16>) -> tensor<4x64x512xf16>
  func.return %2 : tensor<4x64x512xf16>
}

// -----

// CHECK: @g1({{.*}}"g2: g0, g1, g2 as one kernel would take {{[0-9.]+}} us more"
func.func @main(%q: tensor<1x300x176xf16>, %k: tensor<1x200x176xf16>, %v: tensor<1x200x176xf16>) -> tensor<1x300x176xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<1x300x176xf16>, tensor<1x200x176xf16>) -> tensor<1x300x200xf16>
  %1 = graph.softmax %0 axis 2 : tensor<1x300x200xf16> -> tensor<1x300x200xf16>
  %2 = graph.matmul %1, %v : (tensor<1x300x200xf16>, tensor<1x200x176xf16>) -> tensor<1x300x176xf16>
  func.return %2 : tensor<1x300x176xf16>
}

// -----

// CHECK: @g0({{.*}}"g1: g0, g1 as one kernel: scores, weights or factors are outputs, or others read them too"
func.func @main(%q: tensor<4x64x64xf16>, %k: tensor<4x64x64xf16>, %v: tensor<4x64x64xf16>) -> (tensor<4x64x64xf16>, tensor<4x64x64xf16>) {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<4x64x64xf16>, tensor<4x64x64xf16>) -> tensor<4x64x64xf16>
  %1 = graph.softmax %0 axis 2 : tensor<4x64x64xf16> -> tensor<4x64x64xf16>
  %2 = graph.matmul %1, %v : (tensor<4x64x64xf16>, tensor<4x64x64xf16>) -> tensor<4x64x64xf16>
  func.return %2, %1 : tensor<4x64x64xf16>, tensor<4x64x64xf16>
}

// -----

// CHECK: @g0({{.*}}"g1: g0, g1 as one kernel: attention takes factors of 16 bits only"
func.func @main(%q: tensor<4x64x64xf32>, %k: tensor<4x64x64xf32>, %v: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<4x64x64xf32>, tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %1 = graph.softmax %0 axis 2 : tensor<4x64x64xf32> -> tensor<4x64x64xf32>
  %2 = graph.matmul %1, %v : (tensor<4x64x64xf32>, tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  func.return %2 : tensor<4x64x64xf32>
}
