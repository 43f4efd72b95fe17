"""Conversions of ONNX operators, one file per family, found by file name."""
