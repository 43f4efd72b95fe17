// RUN: %invalid

loop.kernel @goes_nowhere(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{a loop steps up, not by 0}}
  loop.for %i = 0 to 8 step 0 kind = parallel map = serial {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @combines_one_lane(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %v = loop.load %x[0] : memref<8xf32> -> f32
  // expected-error@below {{the body takes the values of two lanes}}
  %t = loop.combine %v over team : f32 {
  ^bb0(%l: f32):
    loop.yield %l : f32
  }
  loop.end
}

// -----

loop.kernel @combines_to_nothing(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %v = loop.load %x[0] : memref<8xf32> -> f32
  // expected-error@below {{the body ends with loop.yield of the combined values}}
  %t = loop.combine %v over team : f32 {
  ^bb0(%l: f32, %r: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @carries_nothing_on(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %v = loop.load %x[0] : memref<8xf32> -> f32
  // expected-error@below {{the body ends with loop.yield of the carried values}}
  %s = loop.for %i = 0 to 8 kind = reduction map = serial iter_args(%a = %v) -> (f32) {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @begins_with_nothing(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %v = loop.load %x[0] : memref<8xf32> -> f32
  // expected-error@below {{takes 2 lists of values of the same types}}
  "loop.prefix"(%v) <{over = #loop.combine_scope<block>}> ({
  ^bb0:
    loop.yield
  }) : (f32) -> ()
  loop.end
}

// -----

loop.kernel @goes_through_blocks(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %v = loop.load %x[0] : memref<8xf32> -> f32
  // expected-error@below {{is over the threads of a team or of a block, not of a cluster}}
  %b, %t = loop.prefix %v, %v over cluster : f32, f32 {
  ^bb0(%l: f32, %r: f32):
    loop.yield %l : f32
  }
  loop.end
}

// -----

// expected-error@below {{cluster = 0 should be at least 1}}
loop.kernel @no_cluster(%x: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 0 : i64} {
  loop.end
}

// -----

loop.kernel @workers_left_out(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %n = loop.index [3]
  // expected-error@below {{a loop over thread has all its iterations}}
  loop.for %i = 0 to 8 until %n kind = parallel map = thread {
    loop.yield
  }
  loop.end
}
