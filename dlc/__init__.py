"""dlc compiles an ONNX model to one shared library for an NVIDIA GPU or the CPU."""

__version__ = "0.1.0"
