"""``compile``: an ONNX model in, a loaded model out."""

from dlc.compiler.compilation import Outcome, compile, compile_to
from dlc.compiler.options import Options

__all__ = ["Options", "Outcome", "compile", "compile_to"]
