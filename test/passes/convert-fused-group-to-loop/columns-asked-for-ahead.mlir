// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Nine rows stay while all columns pass: the pieces of a core are columns of a group of rows, and each of the
// three tiles of a piece asks for one line in three of the two that the next columns have for a step.
// CHECK-LABEL: loop.kernel @rows
// CHECK:         loop.for %[[P:.*]] = 0 to 48 kind = parallel map = cores {
// CHECK-NEXT:      loop.for %[[T:.*]] = 0 to 3 kind = parallel map = serial {
// CHECK:             loop.for %[[K:.*]] = 0 to 5 kind = reduction
// CHECK:               loop.prefetch %w[0, %[[P]] mod 24, %[[K]], %[[T]] mod 2 * 16] next %[[P]]
// CHECK:               loop.load %a[%[[P]] floordiv 24 * 9 + %[[T]] * 3, %[[K]]]
// The four rows that are left are a tile and a row.
// CHECK:         loop.for %[[Q:.*]] = 0 to 24 kind = parallel map = cores {
// CHECK:           loop.prefetch %w[0, %[[Q]], %{{.*}}, 0] next %[[Q]]
// CHECK:           loop.load %a[18, %{{.*}}]
// CHECK:           loop.prefetch %w[0, %[[Q]], %{{.*}}, 16] next %[[Q]]
// CHECK:           loop.load %a[21, %{{.*}}]
// CHECK-NOT:     loop.prefetch
func.func @main(%x: tensor<22x5xf32>) -> (tensor<22x768xf32>, tensor<22x768xf32>) {
  %b = graph.weight @b : tensor<5x768xf32>
  %y = fused_group.group @rows(%x, %b) : (tensor<22x5xf32>, tensor<5x768xf32>) -> tensor<22x768xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [3, 32], lanes = 8, cores = true, rows = 9, ahead = true>} {
  ^bb0(%a: tensor<22x5xf32>, %w: tensor<5x768xf32>):
    %0 = graph.matmul %a, %w : (tensor<22x5xf32>, tensor<5x768xf32>) -> tensor<22x768xf32>
    fused_group.yield %0 : tensor<22x768xf32>
  }
  // One tile reads each block of columns: nothing comes between it and the next one.
  // CHECK-LABEL: loop.kernel @one
  // CHECK-NOT:   loop.prefetch
  // CHECK-LABEL: func.func
  %z = fused_group.group @one(%x, %b) : (tensor<22x5xf32>, tensor<5x768xf32>) -> tensor<22x768xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [22, 8], lanes = 8, cores = true, ahead = true>} {
  ^bb0(%a: tensor<22x5xf32>, %w: tensor<5x768xf32>):
    %0 = graph.matmul %a, %w : (tensor<22x5xf32>, tensor<5x768xf32>) -> tensor<22x768xf32>
    fused_group.yield %0 : tensor<22x768xf32>
  }
  func.return %y, %z : tensor<22x768xf32>, tensor<22x768xf32>
}
