// RUN: %invalid

func.func @too_many_windows(%a: tensor<1x4x8x8xf32>) {
  // expected-error@below {{2 spatial axes need as many window sizes, strides and dilations and twice as many paddings, got 3, 2, 2, 4}}
  %0 = graph.max_pool %a window [1, 1, 1] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
  func.return
}

// -----

func.func @no_spatial_axis(%a: tensor<4x5xf32>) {
  // expected-error@below {{needs batch, channel and spatial axes, got 2 axes}}
  %0 = graph.average_pool %a window [] strides [] padding [] dilations [] : tensor<4x5xf32> -> tensor<4x5xf32>
  func.return
}

// -----

func.func @zero_stride(%a: tensor<1x4x8x8xf32>) {
  // expected-error@below {{window size 2, stride 0 and dilation 1 must be at least 1}}
  %0 = graph.max_pool %a window [2, 2] strides [0, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
  func.return
}

// -----

func.func @places_of_another_shape(%x: tensor<1x1x2x2xf32>, %p: tensor<1x1x2x3xi64>) {
  // expected-error@below {{the places must be i64 and have the shape of the data}}
  %0 = graph.max_unpool %x, %p window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : (tensor<1x1x2x2xf32>, tensor<1x1x2x3xi64>) -> tensor<1x1x4x4xf32>
  func.return
}

// -----

func.func @places_of_another_type(%x: tensor<1x1x2x2xf32>, %p: tensor<1x1x2x2xi32>) {
  // expected-error@below {{the places must be i64 and have the shape of the data}}
  %0 = graph.max_unpool %x, %p window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>) -> tensor<1x1x4x4xf32>
  func.return
}

// -----

func.func @unpool_open_sizes(%x: tensor<1x1x?x2xf32>, %p: tensor<1x1x?x2xi64>) {
  // expected-error@below {{needs sizes that are fixed}}
  %0 = graph.max_unpool %x, %p window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : (tensor<1x1x?x2xf32>, tensor<1x1x?x2xi64>) -> tensor<1x1x4x4xf32>
  func.return
}

// -----

func.func @unpool_windows(%x: tensor<1x1x2x2xf32>, %p: tensor<1x1x2x2xi64>) {
  // expected-error@below {{2 spatial axes do not fit window [2], strides [2, 2] and padding [0, 0, 0, 0]}}
  %0 = graph.max_unpool %x, %p window [2] strides [2, 2] padding [0, 0, 0, 0] : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<1x1x4x4xf32>
  func.return
}
