// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// Each role but the last is a branch. Where roles have registers of their own, a block has an SM to itself.

// CHECK:      gpu.kernel @apart({{.*}}block = array<i64: 384, 1, 1>, outputs = 1 : i64, resident_blocks = 1 : i64}
// CHECK:      %[[T:.*]] = gpu.thread_id x : index
// CHECK:      %[[FIRST:.*]] = arith.cmpi slt, %[[T]], %{{.*}} : index
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT:   gpu.set_registers {count = 232 : i64}
// CHECK:        loop.store %{{.*}}, %x[%[[T]]]
// CHECK:      } else {
// CHECK:        %[[SECOND:.*]] = arith.cmpi slt, %[[T]], %{{.*}} : index
// CHECK-NEXT:   scf.if %[[SECOND]] {
// CHECK-NEXT:     gpu.set_registers {count = 40 : i64}
// CHECK-NEXT:     %[[N:.*]] = loop.index [%[[T]] mod 128]
// CHECK:          loop.store %{{.*}}, %x[%[[N]] + 128]
// CHECK:        } else {
// CHECK-NEXT:     gpu.set_registers {count = 24 : i64}
// CHECK:      gpu.end
loop.kernel @apart(%x: memref<384xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 384 kind = parallel map = thread {
    loop.roles %t threads [128, 128, 128] registers [232, 40, 24] {
    ^bb0(%n: index):
      %one = arith.constant 1.0 : f32
      loop.store %one, %x[%n] : f32 -> memref<384xf32>
      loop.yield
    }, {
    ^bb0(%n: index):
      %two = arith.constant 2.0 : f32
      loop.store %two, %x[%n + 128] : f32 -> memref<384xf32>
      loop.yield
    }, {
    ^bb0(%n: index):
      loop.yield
    }
    loop.yield
  }
  loop.end
}
// The first thread of a role need not be a multiple of its size.

// CHECK:      gpu.kernel @unlike({{.*}}block = array<i64: 96, 1, 1>, outputs = 1 : i64} {
// CHECK:      } else {
// CHECK-NEXT:   %[[N:.*]] = loop.index [%{{.*}} - 32]
loop.kernel @unlike(%x: memref<96xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 96 kind = parallel map = thread {
    loop.roles %t threads [32, 64] {
    ^bb0(%n: index):
      loop.yield
    }, {
    ^bb0(%n: index):
      %two = arith.constant 2.0 : f32
      loop.store %two, %x[%n + 32] : f32 -> memref<96xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
