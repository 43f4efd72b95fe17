// RUN: dlc-opt %s --graph-merge-products=arch=sm_90a | filecheck %s

// Queries, keys and values are one product and one sum.
// CHECK-LABEL: @attention
// CHECK:      %[[W:.*]] = graph.concat %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64} : {{.*}} -> tensor<1536x768xf16>
// CHECK-NEXT: %[[Y:.*]] = graph.matmul %x, %[[W]] transpose_rhs : {{.*}} -> tensor<1x128x1536xf16>
// CHECK:      %[[B:.*]] = graph.concat {{.*}} {axis = 0 : i64} : {{.*}} -> tensor<1536xf16>
// CHECK-NEXT: %[[S:.*]] = graph.add %[[Y]], %[[B]]
// CHECK-NEXT: %[[Q:.*]] = graph.slice %[[S]] {starts = array<i64: 0, 0, 0>, stops = array<i64: 1, 128, 768>
// CHECK-NEXT: %[[K:.*]] = graph.slice %[[S]] {starts = array<i64: 0, 0, 768>, stops = array<i64: 1, 128, 1280>
// CHECK-NEXT: %[[V:.*]] = graph.slice %[[S]] {starts = array<i64: 0, 0, 1280>, stops = array<i64: 1, 128, 1536>
// CHECK-NOT:  graph.matmul
// CHECK:      func.return %[[Q]], %[[K]], %[[V]]
func.func @attention(%x: tensor<1x128x768xf16>) -> (tensor<1x128x768xf16>, tensor<1x128x512xf16>, tensor<1x128x256xf16>) {
  %u = graph.weight @u : tensor<768x768xf16>
  %a = graph.weight @a : tensor<768xf16>
  %0 = graph.matmul %x, %u transpose_rhs : (tensor<1x128x768xf16>, tensor<768x768xf16>) -> tensor<1x128x768xf16>
  %q = graph.add %0, %a : (tensor<1x128x768xf16>, tensor<768xf16>) -> tensor<1x128x768xf16>
  %v = graph.weight @v : tensor<512x768xf16>
  %b = graph.weight @b : tensor<512xf16>
  %1 = graph.matmul %x, %v transpose_rhs : (tensor<1x128x768xf16>, tensor<512x768xf16>) -> tensor<1x128x512xf16>
  %k = graph.add %b, %1 : (tensor<512xf16>, tensor<1x128x512xf16>) -> tensor<1x128x512xf16>
  %w = graph.weight @w : tensor<256x768xf16>
  %c = graph.weight @c : tensor<256xf16>
  %2 = graph.matmul %x, %w transpose_rhs : (tensor<1x128x768xf16>, tensor<256x768xf16>) -> tensor<1x128x256xf16>
  %r = graph.add %2, %c : (tensor<1x128x256xf16>, tensor<256xf16>) -> tensor<1x128x256xf16>
  func.return %q, %k, %r : tensor<1x128x768xf16>, tensor<1x128x512xf16>, tensor<1x128x256xf16>
}

// Where one has no sum, or others read a product too, sums stay behind the parts.
// CHECK-LABEL: @one_sum
// CHECK:      %[[W:.*]] = graph.concat %{{.*}}, %{{.*}} {axis = 1 : i64}
// CHECK-NEXT: %[[Y:.*]] = graph.matmul %x, %[[W]] : {{.*}} -> tensor<128x1280xf16>
// CHECK-NEXT: %[[Q:.*]] = graph.slice %[[Y]]
// CHECK-NEXT: %[[K:.*]] = graph.slice %[[Y]]
// CHECK:      graph.add %[[Q]], %a
func.func @one_sum(%x: tensor<128x768xf16>) -> (tensor<128x768xf16>, tensor<128x512xf16>) {
  %u = graph.weight @u1 : tensor<768x768xf16>
  %a = graph.weight @a1 : tensor<768xf16>
  %0 = graph.matmul %x, %u : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
  %q = graph.add %0, %a : (tensor<128x768xf16>, tensor<768xf16>) -> tensor<128x768xf16>
  %v = graph.weight @v1 : tensor<768x512xf16>
  %1 = graph.matmul %x, %v : (tensor<128x768xf16>, tensor<768x512xf16>) -> tensor<128x512xf16>
  func.return %q, %1 : tensor<128x768xf16>, tensor<128x512xf16>
}
