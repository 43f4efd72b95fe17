// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Two slices are under way while one is multiplied; the loads of the weight are as wide as a copy
// gets; the bias is added where the accumulators are.

// CHECK:      loop.kernel @g
// CHECK-NEXT:   loop.for %[[B:.*]] = 0 to 6 kind = parallel map = grid
// CHECK-NEXT:     loop.for %[[T:.*]] = 0 to 128 kind = parallel map = thread
// CHECK:            loop.alloc : memref<3x4x16x64xf16, #loop.space<shared>>
// CHECK-COUNT-8:    gpu.cp_async {{.*}} {bytes = 16 : i64}
// CHECK:            gpu.cp_async_commit
// CHECK-COUNT-8:    gpu.cp_async {{.*}} {bytes = 16 : i64}
// CHECK:            gpu.cp_async_commit
// CHECK:            loop.for %[[K:.*]] = 0 to 8 kind = sequential map = serial
// CHECK-NEXT:         gpu.cp_async_wait {outstanding = 1 : i64}
// CHECK-NEXT:         gpu.barrier
// CHECK:              scf.if
// CHECK-COUNT-8:        gpu.cp_async {{.*}}[(%[[K]] + 2) mod 3
// CHECK:              gpu.ldmatrix {{.*}} {matrices = 4 : i64}
// CHECK:              gpu.mma {{.*}} {shape = "m16n8k16"}
// CHECK:            loop.load %{{.*}} : memref<192xf16> -> f32
// CHECK:            arith.addf
// CHECK-NEXT:       loop.store
func.func @main(%x: tensor<128x512xf16>, %w: tensor<192x512xf16>, %b: tensor<192xf16>) -> tensor<128x192xf16> {
  %y = fused_group.group @g(%x, %w, %b) : (tensor<128x512xf16>, tensor<192x512xf16>, tensor<192xf16>) -> tensor<128x192xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, split = 1, order = "row">} {
  ^bb0(%xi: tensor<128x512xf16>, %wi: tensor<192x512xf16>, %bi: tensor<192xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<128x512xf16>, tensor<192x512xf16>) -> tensor<128x192xf16>
    %1 = graph.add %0, %bi : (tensor<128x192xf16>, tensor<192xf16>) -> tensor<128x192xf16>
    fused_group.yield %1 : tensor<128x192xf16>
  }
  func.return %y : tensor<128x192xf16>
}
