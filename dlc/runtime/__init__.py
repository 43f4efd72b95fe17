"""Loads and runs compiled models; imports neither xDSL nor onnx."""
