// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Three blocks share the reduction of a tile; the one that raises the counter last adds the parts,
// in order, and sets the counter back.

// CHECK:      loop.kernel @g({{.*}}%[[P:.*]]: memref<4x3x4x128x4xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 98304>
// CHECK-NEXT:   loop.for %{{.*}} = 0 to 12 kind = parallel map = grid
// CHECK:        loop.for %{{.*}} = 0 to 6 kind = sequential map = serial
// CHECK:        %[[C:.*]] = gpu.counter_alloc : memref<4xi32>
// CHECK:        loop.store %{{.*}}, %[[P]]
// CHECK:        gpu.fence
// CHECK-NEXT:   gpu.barrier
// CHECK:        gpu.atomic_add %{{.*}}, %[[C]]
// CHECK:        gpu.barrier
// CHECK:        scf.if
// CHECK-NEXT:     gpu.fence
// CHECK:          loop.for %{{.*}} = 0 to 3 kind = parallel map = serial
// CHECK:            loop.load %[[P]]
// CHECK:          loop.store %{{.*}}, %[[C]]
func.func @main(%x: tensor<32x1152xf16>, %w: tensor<256x1152xf16>) -> tensor<32x256xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<32x1152xf16>, tensor<256x1152xf16>) -> tensor<32x256xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", tile = [32, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, split = 3, order = "row">} {
  ^bb0(%xi: tensor<32x1152xf16>, %wi: tensor<256x1152xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<32x1152xf16>, tensor<256x1152xf16>) -> tensor<32x256xf16>
    fused_group.yield %0 : tensor<32x256xf16>
  }
  func.return %y : tensor<32x256xf16>
}
