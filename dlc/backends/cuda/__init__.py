"""``gpu`` kernels as CUDA text, and their machine code."""

from dlc.backends.cuda.printer import CudaTarget, cuda_text

__all__ = ["CudaTarget", "cuda_text"]
