"""How threads and their hardware take and hold bytes: the same on every chip that has a row."""

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
BANKS, BANK_BYTES = 32, 4
"""Of shared memory: at a time it gives each bank once, a word of 4 bytes (CUDA C++ Programming
Guide, "Shared Memory").
"""
LINE_BYTES = BANKS * BANK_BYTES
"""A line of the caches, whose sectors come alone or together; and one word of all banks."""
SECTOR_BYTES = 32
"""A quarter of a line: what the L2 is asked for at least (CUDA C++ Best Practices Guide, "Coalesced
Access to Global Memory").
"""
REGISTER_BYTES = 4
"""A register of a thread (PTX ISA, "Register State Space", ``.b32``)."""
