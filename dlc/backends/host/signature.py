"""The tables of inputs and outputs in the C of a host program."""

from dlc.backends.host.c_text import c_list, c_string
from dlc.backends.host.program import HostProgram, Tensor
from dlc.runtime.dtypes import DTYPES


def print_signature(program: HostProgram) -> str:
    """Return the tables of inputs and outputs."""
    lines: list[str] = []
    for side, tensors in (("input", program.inputs), ("output", program.outputs)):
        for number, tensor in enumerate(tensors):
            lines.append(f"static const int64_t {side}{number}[] = {c_list(tensor.shape)};")
        rows = (_row(tensor, f"{side}{number}") for number, tensor in enumerate(tensors))
        lines.append(f"const dlc_tensor dlc_{side}s[] = {{\n    " + ",\n    ".join(rows) + "};")
        lines.append(f"const int32_t dlc_{side}_count = {len(tensors)};")
    return "\n".join(lines) + "\n"


def _row(tensor: Tensor, shape: str) -> str:
    dtype = f"DLC_{DTYPES[DTYPES.index(tensor.dtype)].upper()}"
    rank = len(tensor.shape)
    return f"{{{c_string(tensor.name)}, {dtype}, {rank}, {shape}, {tensor.bytes}u}}"
