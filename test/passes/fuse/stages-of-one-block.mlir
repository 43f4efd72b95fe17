// RUN: dlc-opt %s --fuse=arch=sm_90a --split-input-file | filecheck %s

// No strategy computes two products together. One block does them one after the other in less time than the
// start of a second kernel takes, where there is little to do.

// CHECK-LABEL: func.func @little
// CHECK:         fused_group.group @g0
// CHECK-SAME:      strategy = "stitched"
// CHECK-SAME:      blocks = 1, carry = ["block"]
// CHECK-SAME:      stages = [{strategy = "contract"{{.*}}}, {strategy = "map"{{.*}}}]
// CHECK:           graph.matmul
// CHECK:           graph.matmul
// CHECK-NOT:     fused_group.group
func.func @little(%x: tensor<1x96xf16>, %w: tensor<96x4xf16>, %v: tensor<4x96xf16>) -> tensor<1x96xf16> {
  %0 = graph.matmul %x, %w : (tensor<1x96xf16>, tensor<96x4xf16>) -> tensor<1x4xf16>
  %1 = graph.relu %0 : tensor<1x4xf16> -> tensor<1x4xf16>
  %2 = graph.matmul %1, %v : (tensor<1x4xf16>, tensor<4x96xf16>) -> tensor<1x96xf16>
  func.return %2 : tensor<1x96xf16>
}

// -----

// CHECK-LABEL: func.func @much
// CHECK:         boundaries = ["g1: in stages (two contractions), one kernel would take at least {{[0-9.e+-]+}} us more"]
// CHECK:         fused_group.group @g1
func.func @much(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>, %v: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %0 = graph.matmul %x, %w : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %1 = graph.matmul %0, %v : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  func.return %1 : tensor<512x512xf16>
}

// -----

// Products that read nothing of each other overlap as kernels: no stages.

// CHECK-LABEL: func.func @side_by_side
// CHECK-NOT:     strategy = "stitched"
// CHECK:         fused_group.group @g1
func.func @side_by_side(%x: tensor<1x96xf16>, %w: tensor<96x4xf16>, %y: tensor<1x64xf16>, %v: tensor<64x8xf16>) -> (tensor<1x4xf16>, tensor<1x8xf16>) {
  %0 = graph.matmul %x, %w : (tensor<1x96xf16>, tensor<96x4xf16>) -> tensor<1x4xf16>
  %1 = graph.matmul %y, %v : (tensor<1x64xf16>, tensor<64x8xf16>) -> tensor<1x8xf16>
  func.return %0, %1 : tensor<1x4xf16>, tensor<1x8xf16>
}
