// RUN: dlc-opt %s --convert-fused-group-to-loop --split-input-file --verify-diagnostics | filecheck %s

// The body is that of the generated kernel; the weight keeps its form, since the library reads it, too.
// CHECK: loop.kernel @g(%{{.*}}: memref<64x48xf32>, %{{.*}}: memref<48x32xf32>, %{{.*}}: memref<64x32xf32>, %{{.*}}: memref<1x2x48x16xf32>)
// CHECK-SAME: call = #loop.call<library = "openblas", function = "cblas_sgemm", buffers = [0, 1, 2], count = 16, sizes = [1, 64, 32, 48],
// CHECK-SAME: starts = [0, 0, 0], steps = [0, 0, 0], pitches = [48, 32, 32], turned = [false, false, false]>
func.func @main(%x: tensor<64x48xf32>) -> tensor<64x32xf32> {
  %y = graph.weight @w : tensor<48x32xf32>
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [4, 16], lanes = 8, library = "openblas">} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}

// -----

// A result whose columns are consecutive is the product of the turned factors, in the other order.
// CHECK: call = #loop.call<library = "openblas", function = "cblas_sgemm", buffers = [1, 0, 2]
func.func @main(%x: tensor<1x4x8x8xf32>, %y: tensor<6x4x1x1xf32>) -> tensor<1x6x8x8xf32> {
  %0 = fused_group.group @g(%x, %y) : (tensor<1x4x8x8xf32>, tensor<6x4x1x1xf32>) -> tensor<1x6x8x8xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [4, 8], lanes = 8, library = "openblas">} {
  ^bb0(%a: tensor<1x4x8x8xf32>, %b: tensor<6x4x1x1xf32>):
    %1 = graph.conv %a, %b strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x1x1xf32>) -> tensor<1x6x8x8xf32>
    fused_group.yield %1 : tensor<1x6x8x8xf32>
  }
  func.return %0 : tensor<1x6x8x8xf32>
}

// -----

func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x8xf32>) -> tensor<4x16xf32> {
  // expected-error@below {{no library stores a result in a larger tensor; leave library out}}
  %0 = fused_group.group @g(%x, %y) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [4, 8], lanes = 8, library = "openblas">} {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x8xf32>):
    %1 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    fused_group.yield %1 : tensor<4x8xf32>
  }
  %2 = graph.overlay %0 {axis = 1 : i64, size = 16 : i64, starts = array<i64: 8>} : (tensor<4x8xf32>) -> tensor<4x16xf32>
  func.return %2 : tensor<4x16xf32>
}
