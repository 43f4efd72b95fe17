// RUN: dlc-opt --gpu-set-resident-blocks=arch=sm_90a %s | filecheck %s
// CHECK-NOT: resident_blocks = {{[^3]}}

// Sixteen blocks of 128 threads fill an SM.
gpu.kernel @full() attributes {grid = array<i64: 1981, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64} {
  gpu.end
}

// Of small blocks an SM has 32 at most.
gpu.kernel @small() attributes {grid = array<i64: 4093, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  gpu.end
}

// Asynchronous copies run ahead by themselves.
gpu.kernel @copies() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, shared_bytes = 16 : i64} {
  gpu.cp_async_wait {outstanding = 0 : i64}
  gpu.end
}

gpu.kernel @capped() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, max_registers = 40 : i64} {
  gpu.end
}

// An object that is waited for: copies of the hardware arrive at it.
gpu.kernel @phases() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, shared_bytes = 8 : i64} {
  %full = gpu.shared_alloc {offset = 0 : i64} : memref<1xi64, #loop.space<shared>>
  %zero = arith.constant 0 : index
  gpu.mbarrier_wait %full[0] parity %zero : memref<1xi64, #loop.space<shared>>
  gpu.end
}

// Others may say how many there are.
gpu.kernel @said() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, resident_blocks = 3 : i64} {
  gpu.end
}
