// RUN: dlc-opt %s --graph-check-sizes --split-input-file --verify-diagnostics
// RUN: dlc-opt %s --optimize-graph --split-input-file --verify-diagnostics

func.func @fixed(%x: tensor<0x8xf32>, %scalar: tensor<f32>) -> tensor<0x8xf32> {
  %0 = graph.add %x, %scalar : (tensor<0x8xf32>, tensor<f32>) -> tensor<0x8xf32>
  func.return %0 : tensor<0x8xf32>
}

// -----

// expected-error@below {{the size of axis 1 of argument 1 is not fixed; compile the model with --shape, or write a number into the types}}
func.func @unnamed(%x: tensor<2x8xf32>, %y: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = graph.relu %y : tensor<2x?xf32> -> tensor<2x?xf32>
  func.return %0 : tensor<2x?xf32>
}

// -----

// expected-error@below {{the size batch (axis 0) of input image is not fixed}}
func.func @named(%x: tensor<?x8xf32, #graph.sizes<"batch", 8>> {graph.name = "image"}) -> tensor<?x8xf32, #graph.sizes<"batch", 8>> {
  %0 = graph.relu %x : tensor<?x8xf32, #graph.sizes<"batch", 8>> -> tensor<?x8xf32, #graph.sizes<"batch", 8>>
  func.return %0 : tensor<?x8xf32, #graph.sizes<"batch", 8>>
}

// -----

// Only tensors have sizes, and only functions have arguments.
builtin.module {
}
func.func @scalar(%n: i64) {
  func.return
}

// -----

// A name that is no text is not the input's name.
// expected-error@below {{the size of axis 0 of argument 0 is not fixed}}
func.func @number(%x: tensor<?x8xf32> {graph.name = 3 : i64}) {
  func.return
}
