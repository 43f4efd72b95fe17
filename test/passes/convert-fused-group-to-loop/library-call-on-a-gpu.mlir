// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// The workspace of the call is scratch behind the buffers of the generated kernel, which has parts
// of sums of its own. The call names the algorithm of the schedule.
// CHECK: loop.kernel @g(%{{.*}}: memref<64x48xf32>, %{{.*}}: memref<48x32xf32>, %{{.*}}: memref<32xf32>, %{{.*}}: memref<64x32xf32>, %{{.*}}: memref<4x2x512xf32>, %{{.*}}: memref<33554432xi8>)
// CHECK-SAME: scratch = array<i64: 16384, 33554432>
// CHECK-SAME: call = #loop.call<library = "cublaslt", function = "cublasLtMatmul", buffers = [0, 1, 3, 2], count = 1, workspace = 33554432, type = "f32", relu = true, sizes = [1, 64, 32, 48],
// CHECK-SAME: algorithm = 3>
func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>, %v: tensor<32xf32>) -> tensor<64x32xf32> {
  %0 = fused_group.group @g(%x, %y, %v) : (tensor<64x48xf32>, tensor<48x32xf32>, tensor<32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], instruction = "fma", split = 2, library = "cublaslt", algorithm = 3>} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>, %c: tensor<32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    %2 = graph.add %1, %c : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
    %3 = graph.relu %2 : tensor<64x32xf32> -> tensor<64x32xf32>
    fused_group.yield %3 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}
