"""ONNX files to the ``graph`` level.

Opsets 7 to the newest that the installed ``onnx`` package knows; it converts models of older ones.
Weights stay where they are, embedded or in external files, and are memory-mapped. Operators
without a conversion of their own that the standard defines as functions are inlined, and so are a
model's own functions. What depends on constants and on fixed sizes only is computed at import, so
that the shape computations of
exporters vanish. An ``If`` keeps one branch if its condition is known. If not, both are computed,
which costs the time of both, and each output, of one type in both, is selected. A branch that
ONNX's own shape rules refuse on the given sizes cannot run anywhere: where the condition chooses
it, its outputs (floats) are NaN. ``Loop`` and ``Scan`` are unrolled, so their numbers of iterations
must be known.

Sizes of inputs that the file does not fix stay symbolic, with their names, until ``--shape`` fixes
them; a size that is fixed for one input is fixed for all that have its name. A value that decides a
shape must be known when compiling.

Nothing is skipped silently: an operator, element type or attribute that is not supported is an
error with the node's name, and ``dlc-compile --check`` lists all of them at once.
"""
