"""``compile``: an ONNX model in, a loaded model out."""

from dlc.compiler.driver import compile, compile_to
from dlc.compiler.options import Options
from dlc.compiler.outcome import Outcome

__all__ = ["Options", "Outcome", "compile", "compile_to"]
