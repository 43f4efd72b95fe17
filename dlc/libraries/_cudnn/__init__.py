"""What cuDNN computes: the kinds of its operations, one a file, and what these share.

Enumerations are those of NVIDIA's "cuDNN backend API", as numbers.
"""

from dlc.libraries._cudnn import attention, convolution, normalization, pointwise, pooling

KINDS = (
    convolution.KIND,
    attention.KIND,
    normalization.KIND,
    pooling.KIND,
    pointwise.KIND,
)
"""A cluster is of the first one that knows it."""

OPERATIONS = {member.name: (kind, member) for kind in KINDS for member in kind.members}
"""By their names in a call."""
