// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Each block writes the sums of the rows that exist, then one lane of a row its largest score and its total. One thread raises
// the tile's counter when all have done so, between fences that count for all. The last block reads ten parts at a time, looks for the largest score of
// them, scales what it has and adds them by their weights. It divides, runs the region and sets the counter back.

// CHECK:      %[[O:.*]] = loop.alloc : memref<1x2x4xf32, #loop.space<register>>
// CHECK:      %[[M:.*]] = loop.alloc : memref<1x2xf32, #loop.space<register>>
// CHECK-NEXT: %[[L:.*]] = loop.alloc : memref<1x2xf32, #loop.space<register>>
// CHECK:      gpu.shuffle xor %{{.*}}, 1 : f32
// CHECK:      scf.if
// CHECK:        loop.load %[[O]][
// CHECK-NEXT:   loop.store %{{.*}}, %s[
// CHECK:        scf.if
// CHECK:          %[[B:.*]] = loop.load %[[M]][
// CHECK-NEXT:     loop.store %[[B]], %s[%{{.*}}, %{{.*}}, %{{.*}}, 16]
// CHECK-NEXT:     loop.store %{{.*}}, %s[%{{.*}}, %{{.*}}, %{{.*}}, 17]
// CHECK:      gpu.barrier
// CHECK:      scf.if
// CHECK-NEXT:   gpu.fence
// CHECK:        gpu.atomic_add
// CHECK-NEXT:   gpu.fence
// CHECK:      gpu.barrier
// CHECK:      %[[IS:.*]] = arith.cmpi eq
// CHECK-NEXT: scf.if %[[IS]]
// CHECK-NOT:    gpu.fence
// CHECK:        loop.for %{{.*}} = 0 to 2 kind = parallel map = serial
// CHECK:          loop.for %{{.*}} = 0 to 10 kind = parallel map = unroll
// CHECK:            loop.load %s[%{{.*}}, %{{.*}}, %{{.*}}, 16]
// CHECK:            loop.load %s[%{{.*}}, %{{.*}}, %{{.*}}, 17]
// CHECK:            arith.maximumf
// CHECK:          %[[R:.*]] = math.exp2
// CHECK:          arith.mulf %{{.*}}, %[[R]]
// CHECK:          loop.for %{{.*}} = 0 to 10 kind = parallel map = unroll
// CHECK:            %[[W:.*]] = math.exp2
// CHECK:            math.fma %{{.*}}, %[[W]]
// CHECK:            loop.for %{{.*}} = 0 to 4 kind = parallel map = unroll
// CHECK:              math.fma %{{.*}}, %[[W]]
// CHECK:        loop.store %{{.*}}, %y[
// CHECK:        arith.constant 0 : i32
// CHECK-NEXT:   loop.store %{{.*}}, %c[
loop.kernel @parts(%y: memref<2x3x16xf16>, %s: memref<2x20x3x20xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 9600>} {
  loop.for %b = 0 to 40 kind = parallel map = grid {
    %n = loop.index [%b floordiv 20]
    %p = loop.index [%b mod 20]
    loop.for %t = 0 to 32 kind = parallel map = thread {
      %c = gpu.counter_alloc : memref<2xi32>
      %o = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.drain_parts %o through %s[%n, %p] counters %c at [0, 0] within [3, 16] zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2)>, #loop.space<register>>, memref<2x20x3x20xf32>, memref<2xi32> {
      ^bb0(%row: index, %column: index, %value: f32):
        loop.store %value, %y[%n, %row, %column] : f32 -> memref<2x3x16xf16>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
