// RUN: dlc-opt %s --tile=arch=sm_90a --split-input-file --verify-diagnostics | filecheck %s

// A row of products in tiles takes less time than a thread for each result. Windows of one channel do not.
// CHECK-LABEL: @rated
// CHECK: strategy = "contract"
// CHECK: strategy = "map"
func.func @rated(%x: tensor<1x64xf16>, %v: tensor<64x4096xf16>, %y: tensor<1x56x56x64xf16>, %w: tensor<3x3x1x64xf16>) -> (tensor<1x4096xf16>, tensor<1x56x56x64xf16>) {
  %0 = fused_group.group @g0(%x, %v) : (tensor<1x64xf16>, tensor<64x4096xf16>) -> tensor<1x4096xf16> {
  ^bb0(%a: tensor<1x64xf16>, %b: tensor<64x4096xf16>):
    %2 = graph.matmul %a, %b : (tensor<1x64xf16>, tensor<64x4096xf16>) -> tensor<1x4096xf16>
    fused_group.yield %2 : tensor<1x4096xf16>
  }
  %1 = fused_group.group @g1(%y, %w) : (tensor<1x56x56x64xf16>, tensor<3x3x1x64xf16>) -> tensor<1x56x56x64xf16> {
  ^bb0(%a: tensor<1x56x56x64xf16>, %b: tensor<3x3x1x64xf16>):
    %2 = graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 64 layout channels_last weight_layout hwio : (tensor<1x56x56x64xf16>, tensor<3x3x1x64xf16>) -> tensor<1x56x56x64xf16>
    fused_group.yield %2 : tensor<1x56x56x64xf16>
  }
  func.return %0, %1 : tensor<1x4096xf16>, tensor<1x56x56x64xf16>
}

// -----

// Who writes the schedule may have it the other way.
// CHECK-LABEL: @given
// CHECK: strategy = "map"
func.func @given(%x: tensor<1x64xf16>, %v: tensor<64x4096xf16>) -> tensor<1x4096xf16> {
  %0 = fused_group.group @g0(%x, %v) : (tensor<1x64xf16>, tensor<64x4096xf16>) -> tensor<1x4096xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 64>} {
  ^bb0(%a: tensor<1x64xf16>, %b: tensor<64x4096xf16>):
    %1 = graph.matmul %a, %b : (tensor<1x64xf16>, tensor<64x4096xf16>) -> tensor<1x4096xf16>
    fused_group.yield %1 : tensor<1x4096xf16>
  }
  func.return %0 : tensor<1x4096xf16>
}

// -----

// A thread alone does 128 products at most.
func.func @long(%x: tensor<1x129xf16>, %v: tensor<129x4096xf16>) -> tensor<1x4096xf16> {
  // expected-error@below {{strategy 'map' does not lower this group; it needs 'contract'}}
  %0 = fused_group.group @g0(%x, %v) : (tensor<1x129xf16>, tensor<129x4096xf16>) -> tensor<1x4096xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 64>} {
  ^bb0(%a: tensor<1x129xf16>, %b: tensor<129x4096xf16>):
    %1 = graph.matmul %a, %b : (tensor<1x129xf16>, tensor<129x4096xf16>) -> tensor<1x4096xf16>
    fused_group.yield %1 : tensor<1x4096xf16>
  }
  func.return %0 : tensor<1x4096xf16>
}
