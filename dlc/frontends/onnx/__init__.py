"""ONNX files to the ``graph`` level."""
