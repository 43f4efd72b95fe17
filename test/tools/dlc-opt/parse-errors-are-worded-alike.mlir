// RUN: not dlc-opt --split-input-file %s 2>&1 | filecheck %s

// CHECK: :[[# @LINE + 3]]:{{[0-9]+}}: error: could not parse entire input{{$}}
// CHECK-NEXT: func.func @no_arrow
// CHECK-NEXT: ^
func.func @no_arrow(%x: tensor<4xf32>) - tensor<4xf32> {}
// -----
// CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: expected shape type{{$}}
func.func @no_type(%x: tensor<4xf33>) {}
