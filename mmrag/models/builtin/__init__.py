"""The built-in embedder: all-MiniLM-L6-v2 as int8 ONNX, shipped with mmrag, run by onnxruntime alone."""
