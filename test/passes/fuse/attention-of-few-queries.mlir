// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_80 | filecheck %s

// One query for each of 32 heads is one kernel, whose keys are split over blocks.
// CHECK:     fused_group.group @g0({{.*}} attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 16, {{.*}}, split = {{[0-9]+}}
// CHECK-NOT: fused_group.group
// CHECK:     func.return
func.func @main(%q: tensor<32x1x128xf16>, %k: tensor<32x4096x128xf16>, %v: tensor<32x4096x128xf16>) -> tensor<32x1x128xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<32x1x128xf16>, tensor<32x4096x128xf16>) -> tensor<32x1x4096xf16>
  %1 = graph.softmax %0 axis 2 : tensor<32x1x4096xf16> -> tensor<32x1x4096xf16>
  %2 = graph.matmul %1, %v : (tensor<32x1x4096xf16>, tensor<32x4096x128xf16>) -> tensor<32x1x128xf16>
  func.return %2 : tensor<32x1x128xf16>
}

// -----

// The queries of four heads that share keys are the rows of one tile. Warps of a block have keys of their own.
// CHECK:     fused_group.group @g0({{.*}} attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 16, {{.*}}, split = {{[0-9]+}}, teams = {{[248]}},
// CHECK-NOT: fused_group.group
// CHECK:     func.return
func.func @main(%q: tensor<32x1x128xf16>, %k: tensor<8x4096x128xf16>, %v: tensor<8x4096x128xf16>) -> tensor<32x1x128xf16> {
  %0 = graph.matmul %q, %k transpose_rhs shared 4 : (tensor<32x1x128xf16>, tensor<8x4096x128xf16>) -> tensor<32x1x4096xf16>
  %1 = graph.softmax %0 axis 2 : tensor<32x1x4096xf16> -> tensor<32x1x4096xf16>
  %2 = graph.matmul %1, %v shared 4 : (tensor<32x1x4096xf16>, tensor<8x4096x128xf16>) -> tensor<32x1x128xf16>
  func.return %2 : tensor<32x1x128xf16>
}

// -----

// Where there are many queries, blocks of rows are enough.
// CHECK: strategy = "attention", {{.*}}, split = 1, teams = 1,
func.func @main(%q: tensor<32x512x128xf16>, %k: tensor<32x512x128xf16>, %v: tensor<32x512x128xf16>) -> tensor<32x512x128xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<32x512x128xf16>, tensor<32x512x128xf16>) -> tensor<32x512x512xf16>
  %1 = graph.softmax %0 axis 2 : tensor<32x512x512xf16> -> tensor<32x512x512xf16>
  %2 = graph.matmul %1, %v : (tensor<32x512x512xf16>, tensor<32x512x128xf16>) -> tensor<32x512x128xf16>
  func.return %2 : tensor<32x512x128xf16>
}
