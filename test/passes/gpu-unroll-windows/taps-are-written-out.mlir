// RUN: dlc-opt --gpu-unroll-windows %s | filecheck %s

// Both loops of a window of 3 x 5 taps.
// CHECK-LABEL: gpu.kernel @window
// CHECK:         scf.for %i = %zero to %three step %one {
// CHECK-NEXT:      scf.for %j = %zero to %five step %one {
// CHECK-NEXT:        loop.load
// CHECK-NEXT:        loop.store
// CHECK-NEXT:      } {unroll}
// CHECK-NEXT:    } {unroll}
gpu.kernel @window(%x: memref<3x5xf32>, %y: memref<3x5xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %five = arith.constant 5 : index
  scf.for %i = %zero to %three step %one {
    scf.for %j = %zero to %five step %one {
      %v = loop.load %x[%i, %j] : memref<3x5xf32> -> f32
      loop.store %v, %y[%i, %j] : f32 -> memref<3x5xf32>
    }
  }
  gpu.end
}

// Two of three loops, where all would be 128 copies.
// CHECK-LABEL: gpu.kernel @large
// CHECK:               loop.store
// CHECK-NEXT:        } {unroll}
// CHECK-NEXT:      } {unroll}
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.end
gpu.kernel @large(%x: memref<2x8x8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %zero to %two step %one {
    scf.for %j = %zero to %eight step %one {
      scf.for %k = %zero to %eight step %one {
        loop.store %v, %x[%i, %j, %k] : f32 -> memref<2x8x8xf32>
      }
    }
  }
  gpu.end
}
