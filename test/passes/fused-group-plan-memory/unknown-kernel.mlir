// RUN: dlc-opt %s --fused-group-plan-memory --verify-diagnostics --split-input-file

builtin.module {
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    // expected-error@+1 {{launch of @g7, but the module has no such kernel}}
    %a = fused_group.launch @g7(%x) : (tensor<64xf32>) -> tensor<64xf32>
    func.return %a : tensor<64xf32>
  }
}
