"""How threads and their hardware take bytes from memory: the same on every chip that has a row."""

MOVED_BYTES = (1, 2, 4, 8, 16)
"""What one load or store instruction of a thread moves (CUDA C++ Programming Guide, "Device Memory
Accesses").
"""
ACCESS_BYTES = MOVED_BYTES[-1]
"""The most of these; buffers start at multiples of it."""
PIECE_BYTES = 16
"""What hardware that moves tiles never tears apart: a row of an 8x8 matrix, what swizzles permute,
the unit of bulk copies, tensor maps and matrix descriptors (PTX ISA, "ldmatrix", "cp.async.bulk",
"Tensor swizzling modes", "Matrix descriptor format").
"""
LINE_BYTES = 128
"""A line of the caches, whose four sectors come alone or together; and one word of all banks."""
