// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// The kernel asks for 64 threads; the loop of 200 takes rounds.
loop.kernel @rounds(%x: memref<200xf32>, %y: memref<200xf32>) attributes {outputs = 1 : i64, threads = 64 : i64} {
  loop.for %t = 0 to 200 kind = parallel map = thread {
    %v = loop.load %x[%t] : memref<200xf32> -> f32
    loop.store %v, %y[%t] : f32 -> memref<200xf32>
    loop.yield
  }
  loop.end
}
// CHECK:      gpu.kernel @rounds({{.*}}) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
// CHECK:      %[[T:.*]] = gpu.thread_id x : index
// CHECK-NEXT: %[[N:.*]] = arith.constant 200 : index
// CHECK-NEXT: %[[STEP:.*]] = arith.constant 64 : index
// CHECK-NEXT: scf.for %[[I:.*]] = %[[T]] to %[[N]] step %[[STEP]] {
// CHECK-NEXT:   loop.load %x[%[[I]]]
