"""The C that calls cuDNN, put together from that of its kinds of operations."""

from collections.abc import Sequence
from pathlib import Path

from dlc.libraries._cudnn.kind import Kind

_FOLDER = Path(__file__).parent


def text_of(kinds: Sequence[Kind], calls: Path) -> str:
    """Return it; calls: the file of what prepares and runs graphs of operations of all kinds."""
    names = [kind.name for kind in kinds]
    numbers = ", ".join(f"CUDNN_{name.upper()}" for name in names)
    functions = ", ".join(f"cudnn_describe_{name}" for name in names)
    own = [(_FOLDER / f"{name}.c").read_text() for name in ("descriptors", *names)]
    parts = (
        f"typedef enum cudnn_kind {{ {numbers} }} cudnn_kind;\n",
        *own,
        "static int (*const cudnn_describe_kind[])(cudnn_state *, const cudnn_operation *, void **)"
        f" = {{{functions}}};\n",
        calls.read_text(),
    )
    return "\n".join(parts)
