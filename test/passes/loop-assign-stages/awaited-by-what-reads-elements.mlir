// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// What works on an accumulator and reads the tile waits for it.

// CHECK:      gpu.cp_async_commit
// CHECK-NEXT: loop.zero
// CHECK-NEXT: gpu.cp_async_wait {outstanding = 0 : i64}
// CHECK-NEXT: loop.map_accumulator
loop.kernel @reads_it(%x: memref<16x16xf16>, %m: memref<16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %a = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    loop.stage %a map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<16x16xf16> -> f32
      loop.yield %e : f32
    }
    %s = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
    loop.map_accumulator %s at [0, 0] within [16, 16] : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      %e = loop.load %a[%i, %j] : memref<16x16xf16, #loop.space<shared>> -> f32
      %y = arith.addf %v, %e : f32
      loop.yield %y : f32
    }
    loop.yield
  }
  loop.end
}
