"""ONNX files to the ``graph`` level.

Opsets 7 to the newest that the installed ``onnx`` package knows; it converts models of older ones.
Weights stay where they are, embedded or in external files, and are memory-mapped. Operators
that the standard defines as functions are inlined unless they have a conversion of their own, and
so are a model's own functions. What depends only on constants and fixed sizes is computed at
import, so the shape computations of exporters vanish.

An ``If`` whose condition is known keeps one branch. Otherwise both branches are computed, which
costs the time of both, and each output is selected by the condition; it must have one type in both.
A branch may be impossible on the sizes that were given: ONNX's own shape rules refuse it. Such a
branch is not computed. Its outputs are NaN instead (they must be floats): whoever takes this
branch sees it.

``Loop`` and ``Scan`` must have numbers of iterations that are known. Where an input has such a
value, ``dlc-compile --constant n=5`` (or ``n=@file.npy``, for any array) compiles it in; the input
is then gone. Numbers take the element type of the input. 16 iterations and more are a loop of
steps, each of which is compiled once, if all of them do the same: states keep their types, the
condition is known to stay true, and nothing must be known that only the number of an iteration
says. Else, and where there are fewer, iterations are unrolled (at most 1024); they share kernels,
but each takes part in the compile: a warning names a node whose iterations make it slow. A step of
a recurrent layer is compiled once where there are 16 steps or more; else they are unrolled, too.

Sizes of inputs that the file does not fix must be given: ``--shape batch=8`` by the name that the
file has for one, ``--shape x=8,3,224,224`` for all of an input; a size that is fixed for one input
is fixed for all that have its name. A value that decides a shape must be known when compiling.
Inputs, outputs and sizes are called as in the file, in any script; a terminal gets control
characters as escapes.

Nodes may stand in any order without cycles. Operators of other domains than ``ai.onnx`` need a
function of their name in the model. Of the operators of ONNX Runtime (``com.microsoft``) those
listed below work: what its optimiser writes for transformers. Others do not, so quantise with
``quant_format=QuantFormat.QDQ``.

Nothing is skipped silently: an operator, element type or attribute that is not supported is an
error with the node's name. ``dlc-compile --check`` prints how often each operator stands in a
model, all that is not supported at once, and the sizes that are open; exit code 0 means that
nothing is unsupported. ``--json FILE`` writes the same as JSON, ``-`` to standard output.
"""
