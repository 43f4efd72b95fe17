// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// Two stages in turn are awaited after the second one; the third may be under way afterwards.

// CHECK:      gpu.cp_async %{{.*}} to %a
// CHECK-NEXT: gpu.cp_async %{{.*}} to %b
// CHECK-NEXT: gpu.cp_async_commit
// CHECK-NEXT: gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT: gpu.cp_async %{{.*}} to %c
// CHECK-NEXT: loop.yield
loop.kernel @g(%x: memref<16x32xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %a = loop.alloc : memref<16x32xf32, #loop.space<shared>>
    %b = loop.alloc : memref<16x32xf32, #loop.space<shared>>
    %c = loop.alloc : memref<16x32xf32, #loop.space<shared>>
    loop.stage %a map = <spatial(16, 8) * repeat(1, 4)> : memref<16x32xf32, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<16x32xf32> -> f32
      loop.yield %e : f32
    }
    loop.stage %b map = <spatial(16, 8) * repeat(1, 4)> : memref<16x32xf32, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<16x32xf32> -> f32
      loop.yield %e : f32
    }
    loop.stage async %c map = <spatial(16, 8) * repeat(1, 4)> : memref<16x32xf32, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<16x32xf32> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}
