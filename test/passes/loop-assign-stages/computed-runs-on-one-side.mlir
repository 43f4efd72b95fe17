// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// The eighth column begins a run: a run is on one side of it.
// CHECK-LABEL: @between_runs
// CHECK:       scf.if
// CHECK-NEXT:    loop.for
loop.kernel @between_runs(%x: memref<32x32xf16>, %m: memref<32x32xi32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %a = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    loop.stage %a map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %zero = arith.constant 0.0 : f32
      %limit = arith.constant 8 : index
      %in = arith.cmpi sge, %j, %limit : index
      %v = scf.if %in -> (f32) {
        %e = loop.load %x[%i, %j] : memref<32x32xf16> -> f32
        %p = math.exp %e : f32
        scf.yield %p : f32
      } else {
        scf.yield %zero : f32
      }
      loop.yield %v : f32
    }
    loop.yield
  }
  loop.end
}

// The same of the column as a number of another type.
// CHECK-LABEL: @as_a_number
// CHECK:       scf.if
// CHECK-NEXT:    loop.for
loop.kernel @as_a_number(%x: memref<32x32xf16>, %m: memref<32x32xi32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %a = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    loop.stage %a map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %zero = arith.constant 0.0 : f32
      %limit = arith.constant 8 : i64
      %n = arith.index_cast %j : index to i64
      %in = arith.cmpi sge, %n, %limit : i64
      %v = scf.if %in -> (f32) {
        %e = loop.load %x[%i, %j] : memref<32x32xf16> -> f32
        %p = math.exp %e : f32
        scf.yield %p : f32
      } else {
        scf.yield %zero : f32
      }
      loop.yield %v : f32
    }
    loop.yield
  }
  loop.end
}
