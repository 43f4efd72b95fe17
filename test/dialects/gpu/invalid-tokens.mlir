// RUN: %invalid

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  // expected-error@below {{mbarrier objects are i64 in shared memory, got memref<64xf32, #loop.space<shared>>}}
  gpu.mbarrier_arrive %s[0] : memref<64xf32, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %b = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  // expected-error@below {{the index map of the barrier has 2 results, the buffer has 1 axes}}
  gpu.mbarrier_arrive %b[0, 0] : memref<2xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %b = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  // expected-error@below {{arrivals = 0 should be in 1..1048575}}
  gpu.mbarrier_init %b[0] {arrivals = 0 : i64} : memref<2xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %b = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  // expected-error@below {{bytes = 1048576 should be in 1..1048575}}
  gpu.mbarrier_arrive %b[0] {bytes = 1048576 : i64} : memref<2xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %b = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  // expected-error@below {{moves 24 bytes; should be a multiple of 16 up to 1048575}}
  gpu.bulk_copy %x[0] to %s[0] at %b[0] {elements = 6 : i64} : memref<64xf32>, memref<64xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %b = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  // expected-error@below {{moves from global to shared memory, got memref<64xf32, #loop.space<shared>>}}
  gpu.bulk_copy %s[0] to %s[0] at %b[0] {elements = 8 : i64} : memref<64xf32, #loop.space<shared>>, memref<64xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %b = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  // expected-error@below {{moves f32 to f16 without converting}}
  gpu.bulk_copy %x[0] to %h[0] at %b[0] {elements = 8 : i64} : memref<64xf32>, memref<64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %n = arith.constant 1 : index
  // expected-error@below {{threads = 48 should be a multiple of 32 up to 1024}}
  gpu.bar_sync %n {threads = 48 : i64}
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %n = arith.constant 1 : index
  // expected-error@below {{threads = 2048 should be a multiple of 32 up to 1024}}
  gpu.bar_arrive %n {threads = 2048 : i64}
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64} {
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  // expected-error@below {{mbarrier objects are i64 in shared memory, got memref<64xf32, #loop.space<shared>>}}
  gpu.cp_async_arrive %s[0] : memref<64xf32, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, resident_blocks = 1 : i64} {
  // expected-error@below {{count = 100 should be a multiple of 8 from 24 to 256}}
  gpu.set_registers {count = 100 : i64}
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, resident_blocks = 1 : i64} {
  // expected-error@below {{count = 16 should be a multiple of 8 from 24 to 256}}
  gpu.set_registers {count = 16 : i64}
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64} {
  // expected-error@below {{a kernel that moves registers says resident_blocks = 1}}
  gpu.set_registers {count = 96 : i64}
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 0 : i64, resident_blocks = 1 : i64} {
  // expected-error@below {{warpgroups move registers; 96 threads are not whole ones}}
  gpu.set_registers {count = 96 : i64}
  gpu.end
}
