// RUN: dlc-opt %s --graph-merge-products=arch=sm_90a | filecheck %s

// Sums stay behind the parts where what is added is given when the model runs.
// CHECK-LABEL: @given
// CHECK:         %[[Y:.*]] = graph.matmul %x, {{.*}} -> tensor<128x1280xf16>
// CHECK-NEXT:    %[[Q:.*]] = graph.slice %[[Y]]
// CHECK-NEXT:    %[[K:.*]] = graph.slice %[[Y]]
// CHECK:         graph.add %[[Q]], %a
// CHECK:         graph.add %[[K]], %b
func.func @given(%x: tensor<128x768xf16>, %a: tensor<768xf16>, %b: tensor<512xf16>) -> (tensor<128x768xf16>, tensor<128x512xf16>) {
  %u = graph.weight @u : tensor<768x768xf16>
  %v = graph.weight @v : tensor<768x512xf16>
  %0 = graph.matmul %x, %u : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
  %1 = graph.matmul %x, %v : (tensor<128x768xf16>, tensor<768x512xf16>) -> tensor<128x512xf16>
  %q = graph.add %0, %a : (tensor<128x768xf16>, tensor<768xf16>) -> tensor<128x768xf16>
  %k = graph.add %1, %b : (tensor<128x512xf16>, tensor<512xf16>) -> tensor<128x512xf16>
  func.return %q, %k : tensor<128x768xf16>, tensor<128x512xf16>
}

// The same of constants that are no vectors.
// CHECK-LABEL: @matrices
// CHECK:         %[[Y:.*]] = graph.matmul %x, {{.*}} -> tensor<128x1280xf16>
// CHECK-NEXT:    %[[Q:.*]] = graph.slice %[[Y]]
// CHECK-NEXT:    %[[K:.*]] = graph.slice %[[Y]]
// CHECK:         graph.add %[[Q]], %a
// CHECK:         graph.add %[[K]], %b
func.func @matrices(%x: tensor<128x768xf16>) -> (tensor<128x768xf16>, tensor<128x512xf16>) {
  %u = graph.weight @u1 : tensor<768x768xf16>
  %v = graph.weight @v1 : tensor<768x512xf16>
  %a = graph.weight @a1 : tensor<128x768xf16>
  %b = graph.weight @b1 : tensor<128x512xf16>
  %0 = graph.matmul %x, %u : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
  %1 = graph.matmul %x, %v : (tensor<128x768xf16>, tensor<768x512xf16>) -> tensor<128x512xf16>
  %q = graph.add %0, %a : (tensor<128x768xf16>, tensor<128x768xf16>) -> tensor<128x768xf16>
  %k = graph.add %1, %b : (tensor<128x512xf16>, tensor<128x512xf16>) -> tensor<128x512xf16>
  func.return %q, %k : tensor<128x768xf16>, tensor<128x512xf16>
}

// The same where a product has two sums.
// CHECK-LABEL: @two_sums
// CHECK:         %[[Y:.*]] = graph.matmul %x, {{.*}} -> tensor<128x1280xf16>
// CHECK-NEXT:    %[[Q:.*]] = graph.slice %[[Y]]
// CHECK-NEXT:    %[[K:.*]] = graph.slice %[[Y]]
// CHECK:         graph.add %[[Q]], %a
// CHECK:         graph.add %[[Q]], %c
func.func @two_sums(%x: tensor<128x768xf16>) -> (tensor<128x768xf16>, tensor<128x768xf16>, tensor<128x512xf16>) {
  %u = graph.weight @u2 : tensor<768x768xf16>
  %v = graph.weight @v2 : tensor<768x512xf16>
  %a = graph.weight @a2 : tensor<768xf16>
  %b = graph.weight @b2 : tensor<512xf16>
  %c = graph.weight @c2 : tensor<768xf16>
  %0 = graph.matmul %x, %u : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
  %1 = graph.matmul %x, %v : (tensor<128x768xf16>, tensor<768x512xf16>) -> tensor<128x512xf16>
  %q = graph.add %0, %a : (tensor<128x768xf16>, tensor<768xf16>) -> tensor<128x768xf16>
  %r = graph.add %0, %c : (tensor<128x768xf16>, tensor<768xf16>) -> tensor<128x768xf16>
  %k = graph.add %1, %b : (tensor<128x512xf16>, tensor<512xf16>) -> tensor<128x512xf16>
  func.return %q, %r, %k : tensor<128x768xf16>, tensor<128x768xf16>, tensor<128x512xf16>
}
