// RUN: not dlc-opt --split-input-file --verify-diagnostics %s 2>&1 | filecheck %s

// CHECK: line {{[0-9]+}}: error: expected error "this does not come" was not produced
// CHECK: missing-and-surplus-errors.mlir:16:3: error: unexpected error: graph.add: shapes 4 and 3 do not broadcast
// CHECK: line {{[0-9]+}}: error: expected error "another text" was not produced
// CHECK-NOT: error
// expected-error@below {{this does not come}}
func.func @valid() {
  func.return
}

// -----

func.func @other_text(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@below {{another text}}
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  func.return
}
