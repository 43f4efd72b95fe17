"""ONNX files to the ``graph`` level.

Opsets 7 to the newest that the installed ``onnx`` package knows; it converts models of older ones.
Weights stay where they are, embedded or in external files, and are memory-mapped. Operators
that the standard defines as functions are inlined unless they have a conversion of their own, and
so are a model's own functions. What depends only on constants and fixed sizes is computed at
import, so the shape computations of exporters vanish.

An ``If`` whose condition is known keeps one branch. Otherwise both branches are computed, which
costs the time of both, and each output is selected by the condition; it must have one type in both.
A branch may be impossible on the sizes that were given: ONNX's own shape rules refuse it. Such a
branch is not computed. Its outputs, which must be floats, are NaN, so that a condition that chooses
it cannot go unnoticed.

``Loop`` and ``Scan`` are unrolled, so their numbers of iterations must be known.

Sizes of inputs that the file does not fix stay symbolic, with their names, until ``--shape`` fixes
them; a size that is fixed for one input is fixed for all that have its name. A value that decides a
shape must be known when compiling.

Nothing is skipped silently: an operator, element type or attribute that is not supported is an
error with the node's name, and ``dlc-compile --check`` lists all of them at once.
"""
