// RUN: not dlc-opt %s -t cuda 2>&1 | filecheck %s --check-prefix=CUDA
// RUN: not dlc-opt %s -t c 2>&1 | filecheck %s --check-prefix=C

// CUDA: error: the module has no gpu.kernel; run --lower-to-gpu before -t cuda
// C: error: the module has no loop.kernel; run --lower-to-loop before -t c
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  func.return %x : tensor<4x8xf32>
}
