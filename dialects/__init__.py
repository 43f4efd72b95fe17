"""The four levels of the compiler: ``graph``, ``fused_group``, ``loop`` and ``gpu``.

A value is a tensor in ``graph`` and ``fused_group``, a buffer in ``loop``, a per-thread scalar or a
shared or register buffer in ``gpu``. Each level's docstring says what cannot be expressed at it.
"""

if __name__ != "dlc.dialects":
    raise ImportError(
        "import dlc.dialects, not dialects: a second copy of every class would result"
    )
