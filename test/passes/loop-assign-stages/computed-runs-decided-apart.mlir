// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// The run from column 8 on has both sides.
// CHECK-LABEL: @within_a_run
// CHECK-NOT:   scf.if
// CHECK:       loop.for %{{.*}} = 0 to 8 kind = parallel map = vector {
// CHECK:         scf.if
loop.kernel @within_a_run(%x: memref<32x32xf16>, %m: memref<32x32xi32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %a = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    loop.stage %a map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %zero = arith.constant 0.0 : f32
      %limit = arith.constant 8 : index
      %in = arith.cmpi sle, %j, %limit : index
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

// Data decide for each element.
// CHECK-LABEL: @by_data
// CHECK-NOT:   scf.if
// CHECK:       loop.for %{{.*}} = 0 to 8 kind = parallel map = vector {
// CHECK:         scf.if
loop.kernel @by_data(%x: memref<32x32xf16>, %m: memref<32x32xi32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %a = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    loop.stage %a map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %zero = arith.constant 0.0 : f32
      %limit = arith.constant 8 : i32
      %n = loop.load %m[%i, %j] : memref<32x32xi32> -> i32
      %in = arith.cmpi slt, %n, %limit : i32
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
