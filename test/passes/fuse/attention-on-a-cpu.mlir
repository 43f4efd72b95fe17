// RUN: dlc-opt %s --split-input-file --fuse=arch=cpu-avx512 | filecheck %s

// On a CPU attention is one kernel for floats, too.

// CHECK-LABEL: @heads
// CHECK:         fused_group.group {{.*}}strategy = "attention", target = "cpu", tile = [{{[0-9]+}}, {{[0-9]+}}], lanes = 16, cores = true, tiles = 1, step = 0
// CHECK:           graph.transpose
// CHECK:           graph.matmul
// CHECK:           graph.add
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.transpose
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @heads(%q: tensor<128x12x64xf32>, %k: tensor<12x128x64xf32>, %v: tensor<12x128x64xf32>, %mask: tensor<1x1x128xf32>) -> tensor<128x12x64xf32> {
  %h = graph.transpose %q {permutation = array<i64: 1, 0, 2>} : tensor<128x12x64xf32> -> tensor<12x128x64xf32>
  %0 = graph.matmul %h, %k transpose_rhs : (tensor<12x128x64xf32>, tensor<12x128x64xf32>) -> tensor<12x128x128xf32>
  %x = graph.add %0, %mask : (tensor<12x128x128xf32>, tensor<1x1x128xf32>) -> tensor<12x128x128xf32>
  %1 = graph.softmax %x axis 2 : tensor<12x128x128xf32> -> tensor<12x128x128xf32>
  %2 = graph.matmul %1, %v : (tensor<12x128x128xf32>, tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  %3 = graph.transpose %2 {permutation = array<i64: 1, 0, 2>} : tensor<12x128x64xf32> -> tensor<128x12x64xf32>
  func.return %3 : tensor<128x12x64xf32>
}

// -----

// Many keys take steps: a core reads each for several tiles of queries.

// CHECK-LABEL: @long
// CHECK:         fused_group.group {{.*}}strategy = "attention", target = "cpu", {{.*}}, tiles = {{[248]}}, step = {{256|512|1024}}
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @long(%q: tensor<64x8192x64xf32>, %k: tensor<64x8192x64xf32>, %v: tensor<64x8192x64xf32>) -> tensor<64x8192x64xf32> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<64x8192x64xf32>, tensor<64x8192x64xf32>) -> tensor<64x8192x8192xf32>
  %1 = graph.softmax %0 axis 2 : tensor<64x8192x8192xf32> -> tensor<64x8192x8192xf32>
  %2 = graph.matmul %1, %v : (tensor<64x8192x8192xf32>, tensor<64x8192x64xf32>) -> tensor<64x8192x64xf32>
  func.return %2 : tensor<64x8192x64xf32>
}

// -----

// Where a product of scores has another reader, they are kernels of their own.

// CHECK-LABEL: @read
// CHECK-NOT:     strategy = "attention"
// CHECK:         func.return
func.func @read(%q: tensor<12x128x64xf32>, %k: tensor<12x128x64xf32>, %v: tensor<12x128x64xf32>) -> (tensor<12x128x64xf32>, tensor<12x128x128xf32>) {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<12x128x64xf32>, tensor<12x128x64xf32>) -> tensor<12x128x128xf32>
  %1 = graph.softmax %0 axis 2 : tensor<12x128x128xf32> -> tensor<12x128x128xf32>
  %2 = graph.matmul %1, %v : (tensor<12x128x128xf32>, tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  func.return %2, %0 : tensor<12x128x64xf32>, tensor<12x128x128xf32>
}
