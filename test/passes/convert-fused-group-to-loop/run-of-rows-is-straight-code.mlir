// RUN: dlc-opt %s --lower-to-loop | filecheck %s
// RUN: dlc-opt %s --lower-to-loop --lower-to-gpu=arch=sm_90a | filecheck %s --check-prefix CARD

// The form of rows of 197 halves that was measured (docs/performance.md, "GPU: a condition around packed rows").
// Sixteen rows are 394 pieces of 16 bytes, four for each of 128 threads: 16 registers, and straight code may hold 32. So the
// loads of a thread stand one after the other, at fixed distances; so do its stores. Where teams have one row each, the
// condition whether there is such a row stands around all that is computed for its elements.
// CHECK:      loop.for %{{.*}} = 0 to 394 kind = parallel map = thread attributes {straight} {
// CHECK:      loop.for %{{.*}} = 0 to 16 kind = parallel map = thread attributes {team = 8 : i64} {
// CHECK:        %[[IS_ROW:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK-NEXT:   scf.if %[[IS_ROW]] {
// CHECK-NEXT:     loop.for %{{.*}} = 0 to 8 kind = parallel map = thread {
// CHECK:      loop.for %{{.*}} = 0 to 394 kind = parallel map = thread attributes {straight} {

// CARD:      gpu.copy %xi[%[[B:.*]] * 16 + %[[T:.*]] * 8 floordiv 197,
// CARD:      gpu.copy %xi[%[[B]] * 16 + (%[[T]] * 8 + 39) floordiv 197 + 5,
// CARD:      gpu.copy %xi[%[[B]] * 16 + (%[[T]] * 8 + 78) floordiv 197 + 10,
// CARD:      gpu.copy %xi[%[[B]] * 16 + (%[[T]] * 8 + 117) floordiv 197 + 15,
// CARD:      gpu.shuffle xor %{{.*}}, 1 : f32
// CARD:      scf.if
// CARD-NEXT:   loop.load
// CARD-NEXT:   arith.subf
// CARD-NEXT:   loop.store
// CARD-NEXT:   loop.load
// CARD:      gpu.copy %{{.*}} to %0[%[[B]] * 16 + %[[T]] * 8 floordiv 197,
// CARD:      gpu.copy %{{.*}} to %0[%[[B]] * 16 + (%[[T]] * 8 + 39) floordiv 197 + 5,
// CARD:      gpu.copy %{{.*}} to %0[%[[B]] * 16 + (%[[T]] * 8 + 78) floordiv 197 + 10,
// CARD:      gpu.copy %{{.*}} to %0[%[[B]] * 16 + (%[[T]] * 8 + 117) floordiv 197 + 15,
func.func @main(%x: tensor<39x197xf16>) -> tensor<39x197xf16> {
  %r = fused_group.group @g(%x) : (tensor<39x197xf16>) -> tensor<39x197xf16> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 16, packed = true>} {
  ^bb0(%xi: tensor<39x197xf16>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<39x197xf16> -> tensor<39x1xf16>
    %d = graph.sub %xi, %m : (tensor<39x197xf16>, tensor<39x1xf16>) -> tensor<39x197xf16>
    fused_group.yield %d : tensor<39x197xf16>
  }
  func.return %r : tensor<39x197xf16>
}
