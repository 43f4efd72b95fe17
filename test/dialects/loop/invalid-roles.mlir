// RUN: %invalid

loop.kernel @k(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    // expected-error@below {{2 roles have 1 regions}}
    loop.roles %t threads [32, 32] {
    ^bb0(%n: index):
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @k(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    // expected-error@below {{a role has whole warps, not [48] threads}}
    loop.roles %t threads [48] {
    ^bb0(%n: index):
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @k(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    // expected-error@below {{a region takes the number of the thread in its role}}
    loop.roles %t threads [32] {
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @k(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    // expected-error@below {{a region ends with loop.yield of nothing}}
    loop.roles %t threads [32] {
    ^bb0(%n: index):
      loop.yield %n : index
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @k(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 256 kind = parallel map = thread {
    // expected-error@below {{2 roles have the registers [200]}}
    loop.roles %t threads [128, 128] registers [200] {
    ^bb0(%n: index):
      loop.yield
    }, {
    ^bb0(%n: index):
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @k(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 256 kind = parallel map = thread {
    // expected-error@below {{warpgroups of 128 threads move registers, roles have [128, 32]}}
    loop.roles %t threads [128, 32] registers [200, 40] {
    ^bb0(%n: index):
      loop.yield
    }, {
    ^bb0(%n: index):
      loop.yield
    }
    loop.yield
  }
  loop.end
}
