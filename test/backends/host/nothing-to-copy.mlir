// RUN: dlc-opt %s --fused-group-plan-memory -t host | filecheck %s

// An output without elements is not copied: a device has no address for it.

builtin.module {
  func.func @main(%x: tensor<64xf32>) -> (tensor<0x33xf32>, tensor<64xf32>) {
    %y = graph.splat 0.000000e+00 : f32 -> tensor<0x33xf32>
    func.return %y, %x : tensor<0x33xf32>, tensor<64xf32>
  }
}

// CHECK:      static const dlc_copy copies0[] = {
// CHECK-NEXT: {{[{]}}{DLC_OUTPUT, 1, 0u}, {DLC_INPUT, 0, 0u}, 256}};
