// RUN: dlc-opt --gpu-set-resident-blocks=arch=sm_90a %s | filecheck %s

// Blocks that wait for each other must all have room: also where they fill the SMs, or wait for copies.
// CHECK:      gpu.kernel @full() attributes {{{.*}}, cooperative, resident_blocks = 16 : i64} {
gpu.kernel @full() attributes {grid = array<i64: 2112, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, cooperative} {
  gpu.end
}

// CHECK:      gpu.kernel @copies() attributes {{{.*}}, cooperative, resident_blocks = 1 : i64} {
gpu.kernel @copies() attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, shared_bytes = 16 : i64, cooperative} {
  gpu.cp_async_wait {outstanding = 0 : i64}
  gpu.end
}

// CHECK:      gpu.kernel @said() attributes {{{.*}}, resident_blocks = 3 : i64, cooperative} {
gpu.kernel @said() attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, resident_blocks = 3 : i64, cooperative} {
  gpu.end
}
