// RUN: %invalid

// expected-error@below {{64 outputs}}
loop.kernel @more_outputs_than_buffers(%x: memref<8xf32>) attributes {outputs = 64 : i64} {
  loop.end
}

// -----

// expected-error@below {{the arguments of a kernel are buffers}}
loop.kernel @scalar_argument(%x: f32) attributes {outputs = 1 : i64} {
  loop.end
}

// -----

loop.kernel @parallel_carries(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %z = arith.constant 0.0 : f32
  // expected-error@below {{a parallel loop carries no value; make it a reduction}}
  %r = loop.for %k = 0 to 8 kind = parallel map = serial iter_args(%a = %z) -> (f32) {
    loop.yield %a : f32
  }
  loop.end
}

// -----

loop.kernel @yields_nothing(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %z = arith.constant 0.0 : f32
  // expected-error@below {{the body ends with loop.yield of the carried values}}
  %r = loop.for %k = 0 to 8 kind = reduction map = serial iter_args(%a = %z) -> (f32) {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @load_does_not_widen(%x: memref<8xf16>) attributes {outputs = 1 : i64} {
  // expected-error@below {{a load of f16 gives f32}}
  %v = loop.load %x[0] : memref<8xf16> -> f16
  loop.end
}

// -----

loop.kernel @wrong_rank(%x: memref<8x8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{has 1 results, the buffer has 2 axes}}
  %v = loop.load %x[0] : memref<8x8xf32> -> f32
  loop.end
}

// -----

loop.kernel @guarded_axis(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{guard [1] names an axis that a buffer of rank 1 has not}}
  %v = loop.load %x[0] guard [1] fill 0.0 : f32 : memref<8xf32> -> f32
  loop.end
}

// -----

loop.kernel @vector_element(%x: memref<8xf16>) attributes {outputs = 1 : i64} {
  // expected-error@below {{vectors of f16 are vector<Nxf32>}}
  %v = loop.load_vector %x[0] : memref<8xf16> -> vector<8xf16>
  loop.end
}

// -----

// expected-error@below {{threads = 48 should be a positive multiple of 32}}
loop.kernel @half_a_warp(%x: memref<8xf32>) attributes {outputs = 1 : i64, threads = 48 : i64} {
  loop.end
}

// -----

// expected-error@below {{threads = 0 should be a positive multiple of 32}}
loop.kernel @no_threads(%x: memref<8xf32>) attributes {outputs = 1 : i64, threads = 0 : i64} {
  loop.end
}

// -----

// expected-error@below {{"many" should be of base attribute integer}}
loop.kernel @threads_in_words(%x: memref<8xf32>) attributes {outputs = 1 : i64, threads = "many"} {
  loop.end
}

// -----

// expected-error@below {{"one" should be of base attribute integer}}
loop.kernel @outputs_in_words(%x: memref<8xf32>) attributes {outputs = "one"} {
  loop.end
}

// -----

// expected-error@below {{a kernel has at least one output}}
loop.kernel @no_output(%x: memref<8xf32>) attributes {outputs = 0 : i64} {
  loop.end
}

// -----

loop.kernel @no_slots(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{pipeline = 0 should be at least 1}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 0 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @slots_in_words(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{"deep" should be of base attribute integer}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = "deep"} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @threads_have_no_pipeline(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{a loop over thread is not pipelined; a serial one is}}
  loop.for %k = 0 to 8 kind = parallel map = thread attributes {pipeline = 2 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @misspelt(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{loop.for: there is no attribute piepline}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {piepline = 2 : i64} {
    loop.yield
  }
  loop.end
}

// -----

// expected-error@below {{loop.kernel: there is no attribute thread}}
loop.kernel @one_thread(%x: memref<8xf32>) attributes {outputs = 1 : i64, thread = 32 : i64} {
  loop.end
}

// -----

loop.kernel @producers_of_no_pipeline(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{producers = 2 of a loop with pipeline: a number of warps}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {producers = 2 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @negative_producers(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{producers = -1 of a loop with pipeline: a number of warps}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = -1 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @registers_of_one_role(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{registers = [multiplying, bringing] of a loop with producers}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 4 : i64, registers = array<i64: 40>} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @registers_without_roles(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{registers = [multiplying, bringing] of a loop with producers}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 2 : i64, registers = array<i64: 200, 40>} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @turns_of_nobody(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{turns = 0 of a loop with producers, from 1 on}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 4 : i64, turns = 0 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @turns_without_producers(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{turns = 2 of a loop with producers, from 1 on}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 2 : i64, turns = 2 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @staggered_with_too_few_slots(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{staggered: pipeline = 2 should be at least 3, as the slice before is read while one comes}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 2 : i64, staggered} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @staggered_with_one_slot(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{staggered: pipeline = 1 should be at least 2,}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 1 : i64, producers = 4 : i64, staggered} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @staggered_in_turns(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{a staggered loop has no turns, and 2 are given}}
  loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 4 : i64, turns = 2 : i64, staggered} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @staggered_without_iterations(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{a staggered loop has an iteration at least}}
  loop.for %k = 0 to 0 kind = reduction map = serial attributes {pipeline = 3 : i64, staggered} {
    loop.yield
  }
  loop.end
}
