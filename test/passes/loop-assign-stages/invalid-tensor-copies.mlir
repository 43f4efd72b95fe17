// RUN: dlc-opt %s --loop-assign-stages --split-input-file --verify-diagnostics

loop.kernel @no_object(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{tensor copies arrive at an mbarrier object, which a pipeline of two or more slots has}}
    loop.stage async tensor %a map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<100x576xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @computed(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{a tensor copy brings elements as they are in memory; these are computed}}
    loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %v = loop.load %x[%i, %j] : memref<100x576xf16> -> f32
      %e = arith.addf %v, %v : f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @ends_early(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{a tensor copy cannot bring this tile: it ends where no axis of the tensor ends}}
    loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %row = loop.index [%i]
      %n = arith.constant 12 : index
      %inside = arith.cmpi slt, %row, %n : index
      %zero = arith.constant 0.0 : f32
      %e = scf.if %inside -> (f32) {
        %v = loop.load %x[%i, %j] : memref<100x576xf16> -> f32
        scf.yield %v : f32
      } else {
        scf.yield %zero : f32
      }
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @along_columns(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{a tensor copy cannot bring this tile: its lines are no neighbours in memory}}
    loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%j, %i] : memref<100x576xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @every_second(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{a tensor copy cannot bring this tile: its lines are no neighbours in memory}}
    loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j * 2] : memref<100x576xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @between_pieces(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{a tensor copy cannot bring this tile: its lines begin at no multiple of 16 bytes in memory}}
    loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j + 4] : memref<100x576xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @rows_of_120_bytes(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{a tensor copy cannot bring this tile: strides are multiples of 16 bytes, got [120]}}
    loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %y[%i, %j] guard [1] fill 0.0 : f32 : memref<100x60xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @other_swizzle(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc {swizzle = #gpu.swizzle<2, 4, 4>} : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{a tensor copy cannot bring this tile: the tile has a swizzle that is none of the hardware's: #gpu.swizzle<2, 4, 4>}}
    loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<100x576xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @short_swizzle(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc {swizzle = #gpu.swizzle<2, 4, 3>} : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{a tensor copy cannot bring this tile: the last axis of the box has 128 bytes, a swizzle of 64 takes no longer rows}}
    loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<100x576xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @interleaved(%x: memref<100x576xf16>, %y: memref<100x60xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %full = loop.alloc : memref<2xi64, #loop.space<shared>>
    %a = loop.alloc : memref<16x64xf16, #loop.space<shared>>
    // expected-error@below {{a tensor copy cannot bring this tile: an index is no linear one}}
    loop.stage async tensor %a at %full[0] map = <repeat(16, 2) * spatial(1, 32)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i mod 2 * 8 + %i floordiv 2, %j] : memref<100x576xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}
