"""``compile``: an ONNX model in, a loaded model out."""

from dlc.compiler.compilation import Options, compile, compile_to

__all__ = ["Options", "compile", "compile_to"]
